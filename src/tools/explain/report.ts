// Imports nothing, because the playground, which runs in browsers, uses these types.

type Milliseconds = number;

/** `extensions.explain` of a response. Only in development, for requests with `graphql-functions-explain: 1`. */
export interface ExplainReport {
  /** The name of the door by which the operation came, for example "mcp". Absent for GraphQL. */
  readonly door?: string;
  /** With `authorization()`: the rules of the selected fields, such as "scopes read:books". Absent if there are none. */
  readonly needs?: readonly string[];
  /** The duration of each step. A step that did not run is absent: a cached document is not parsed. */
  readonly milliseconds: ExplainedTimes;
  /** All calls of REST data sources, by start time. */
  readonly calls: readonly ExplainedCall[];
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

/** The layer that answered a call: a `CacheOutcome` of the data source, or `none`. */
export type CacheLayer = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass' | 'none';

/** One call of a REST data source. */
export interface ExplainedCall {
  /** The key of the data source in `dataSources`, or the name of its class. */
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
