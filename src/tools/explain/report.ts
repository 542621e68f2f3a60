// Imports nothing, because the playground, which runs in browsers, uses these types.

type Milliseconds = number;

/** `extensions.explain` of a response. Only in development, for requests with `graphql-functions-explain: 1`. */
export interface ExplainReport {
  /** The duration of each step. A step that did not run is absent: a cached document is not parsed. */
  readonly milliseconds: ExplainedTimes;
  readonly document: ExplainedDocument;
  readonly executor: ExplainedExecutor;
  readonly schema: ExplainedSchema;
  /** The rule of CSRF prevention that allowed the request. */
  readonly csrf: string;
  /** Milliseconds left until the deadline. Absent without a deadline. */
  readonly deadline?: { readonly leftAtStart: Milliseconds; readonly leftAtEnd: Milliseconds };
  /** All calls of REST data sources, by start time. */
  readonly calls: readonly ExplainedCall[];
  /** The resolvers that ran, by field. Default resolvers are left out. */
  readonly resolvers: readonly ExplainedResolver[];
  /** The calls of batched resolvers. */
  readonly batches: readonly ExplainedBatch[];
  /** With the extension `edge`: whether a CDN may cache such a response; if not, `reason` is the first rule that prevents it. */
  readonly sharing?: { readonly public: boolean; readonly maxAge?: number; readonly tags?: readonly string[]; readonly reason?: string };
  /** What errors do to the response, if the request or the trusted document sets it. */
  readonly onError?: 'NULL' | 'PROPAGATE' | 'HALT';
  /** With the extension `idempotency`, for an operation with a key: it ran, its stored answer was sent, or it was refused. */
  readonly idempotency?: 'claimed' | 'replayed' | 'refused';
  /** With the extension `budget`: the points that the operation cost, and those that its client has left. */
  readonly budget?: { readonly policy: string; readonly capacity: number; readonly cost: number; readonly left?: number | undefined };
  /** The consecutive calls that the response waited for. Absent when no two followed each other. */
  readonly longestChain?: LongestChain;
}

/** The duration of each step. */
export interface ExplainedTimes {
  /** `context()`, and initializing data sources and plugins. */
  readonly context?: Milliseconds;
  readonly parse?: Milliseconds;
  readonly validate?: Milliseconds;
  readonly execute?: Milliseconds;
  /** From the parsed request to its result. */
  readonly total: Milliseconds;
}

/** Where the document came from. */
export interface ExplainedDocument {
  /** True when it had been parsed and validated before. Absent when no document was found. */
  readonly cached?: boolean;
  readonly from: 'request' | 'persisted query' | 'trusted document';
  /**
   * The result of looking up the hash: `hit`, found; `registered`, stored with the text that was sent; `known`, sent with a text
   * that was already stored; `miss`, the client must send the text; `refused`, hash and text do not match, or the text is invalid.
   */
  readonly persistedQuery?: 'hit' | 'registered' | 'known' | 'miss' | 'refused';
}

/** The executor that ran the operation. */
export interface ExplainedExecutor {
  readonly ran: 'planned' | 'graphql-js' | 'none';
  readonly why: string;
}

/** The state of the schema. */
export interface ExplainedSchema {
  /** 'lazy': types are created when they are needed. 'whole': all types were created at once. */
  readonly kind: 'lazy' | 'whole';
  readonly why: string;
  /** For a lazy schema: the number of types created so far, by this and all earlier operations. */
  readonly typesMade?: number;
  readonly typesDefined?: number;
}

/** The layer that answered a call: a `CacheOutcome` of the data source, `shared` for an equal call in flight, or `none`. */
export type CacheLayer = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass' | 'shared' | 'none';

/** One call of a REST data source. */
export interface ExplainedCall {
  /** Its key in `dataSources`, or the name of its class. */
  readonly source: string;
  readonly method: string;
  /** Values of parameters that may be secrets are hidden. */
  readonly url: string;
  /** The path of the field whose resolver made the call. Absent if no resolver of the schema did. */
  readonly field?: string;
  readonly cache: CacheLayer;
  readonly why: string;
  readonly status?: number;
  /** The error that the call failed with. */
  readonly error?: string;
  /** Start time, from the start of the operation. */
  readonly start: Milliseconds;
  /** Absent if the call had not ended when the response was ready. */
  readonly duration?: Milliseconds;
  /** The number of requests to the origin. */
  readonly tries: number;
}

/** When the resolver of a field ran. */
export interface ExplainedResolver {
  /** The path of the field, without the indexes of lists: `books.author`. */
  readonly field: string;
  /** The number of calls: one for each parent, or for a group of parents if it is batched. */
  readonly calls: number;
  /** The start of the first call, from the start of the operation. */
  readonly start: Milliseconds;
  /** From then to the end of the last call. Absent if one had not ended when the response was ready. */
  readonly duration?: Milliseconds;
  /** The duration of the longest call that has ended. */
  readonly longest: Milliseconds;
}

/** How often the batched resolver of a field was called. */
export interface ExplainedBatch {
  /** The path of the field, without the indexes of lists: `books.author`. */
  readonly field: string;
  readonly calls: number;
  /** The total number of parents of all calls. */
  readonly parents: number;
}

/** The calls that the response waited for. */
export interface LongestChain {
  /** Indexes of the report's `calls`. */
  readonly calls: readonly number[];
  readonly fields: readonly string[];
  readonly milliseconds: Milliseconds;
}
