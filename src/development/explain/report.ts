import type { CacheOutcome } from '../../datasource/call-watch.ts';
import type { Milliseconds } from '../../cache/key-value-cache.ts';

/** `extensions.explain` of an answer: how it came about. In development only, for requests with `graphql-functions-explain: 1`. */
export interface ExplainReport {
  /** Advice, in words; empty when there is none. */
  readonly advice: readonly string[];
  /** How long each stage took. A stage that did not run is absent: a document that is cached is not parsed. */
  readonly milliseconds: ExplainedTimes;
  readonly document: ExplainedDocument;
  readonly executor: ExplainedExecutor;
  readonly schema: ExplainedSchema;
  /** Which rule of CSRF prevention let the request through. */
  readonly csrf: string;
  /** Milliseconds that were left until the deadline. Absent where there is none. */
  readonly deadline?: { readonly leftAtStart: Milliseconds; readonly leftAtEnd: Milliseconds };
  /** Every call of a REST data source, in the order in which they began. */
  readonly calls: readonly ExplainedCall[];
  /** Calls that were sent to the origin again although another had asked for the same. */
  readonly duplicates: readonly DuplicateCalls[];
  /** Calls of one kind that one field, or the items of one list, made one after the other. */
  readonly chains: readonly SerialCalls[];
  /** With the extension `edge`: whether a CDN may keep such an answer, and if not, the first rule that it breaks. */
  readonly sharing?: { readonly public: boolean; readonly maxAge?: number; readonly tags?: readonly string[]; readonly reason?: string };
  /** The calls that the answer waited for, one after the other. Absent when no two followed each other. */
  readonly longestChain?: LongestChain;
}

/** The times of the stages. */
export interface ExplainedTimes {
  /** `context`, and the start of data sources and plugins. */
  readonly context?: Milliseconds;
  readonly parse?: Milliseconds;
  readonly validate?: Milliseconds;
  readonly execute?: Milliseconds;
  /** From the request, read and parsed, to its result. */
  readonly total: Milliseconds;
}

/** Where the document came from. */
export interface ExplainedDocument {
  /** True when it had been parsed and validated before. Absent when none was found. */
  readonly cached?: boolean;
  readonly from: 'request' | 'persisted query' | 'trusted document';
  /**
   * The outcome of the hash: `hit`, known without the text; `registered`, kept from now on; `known`, sent with a text that
   * was kept already; `miss`, the client has to send the text; `refused`, it does not belong to the text, or the text is not valid.
   */
  readonly persistedQuery?: 'hit' | 'registered' | 'known' | 'miss' | 'refused';
}

/** The executor that ran the operation. */
export interface ExplainedExecutor {
  readonly ran: 'planned' | 'graphql-js' | 'none';
  readonly why: string;
}

/** The sources of the schema. */
export interface ExplainedSchema {
  /** 'lazy': its types are made when they are needed. 'whole': it was made in one piece. */
  readonly kind: 'lazy' | 'whole';
  readonly why: string;
  /** Of a lazy schema: the types that have been made so far, by this and all earlier operations. */
  readonly typesMade?: number;
  readonly typesDefined?: number;
}

/** The layer that answered a call. `shared`: an equal call that was under way; the others as `CacheOutcome` has them; `none`: no layer did. */
export type CacheLayer = CacheOutcome | 'shared' | 'none';

/** One call of a REST data source. */
export interface ExplainedCall {
  /** Its key in `dataSources`, or the name of its class. */
  readonly source: string;
  readonly method: string;
  /** Values of parameters that look like secrets are left out. */
  readonly url: string;
  /** The field whose resolver made the call, as a path of the answer. Absent where no resolver did, or none that was given as one. */
  readonly field?: string;
  readonly cache: CacheLayer;
  readonly why: string;
  readonly status?: number;
  /** The error that the call failed with. */
  readonly error?: string;
  /** When it began, counted from the start of the operation. */
  readonly start: Milliseconds;
  /** Absent when it had not ended when the answer was ready. */
  readonly duration?: Milliseconds;
  /** How often the origin was asked. */
  readonly tries: number;
}

/** Calls that ask the same. Numbers are those of the calls in `calls`. */
export interface DuplicateCalls {
  readonly calls: readonly number[];
  readonly call: string;
  readonly advice: string;
}

/** Calls of one kind, one after the other. */
export interface SerialCalls {
  readonly calls: readonly number[];
  /** A path of the answer, `*` for the items of a list. */
  readonly field?: string;
  /** From the start of the first to the end of the last. */
  readonly milliseconds: Milliseconds;
  readonly advice: string;
}

/** The calls that the answer waited for. */
export interface LongestChain {
  readonly calls: readonly number[];
  readonly fields: readonly string[];
  readonly milliseconds: Milliseconds;
}
