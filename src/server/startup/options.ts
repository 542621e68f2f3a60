import type { GraphQLFieldResolver, GraphQLSchema, ValidationRule } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import type { DeadlineOptions } from './deadline.ts';
import { assertCredentials, assertOriginForm, corsExpectations } from '../doors/cors.ts';
import type { GraphQLJSExecutor } from '../../executor/index.ts';
import type { ContextArgument } from '../doors/http-settings.ts';
import type { CORSOptions } from '../doors/cors.ts';
import type { IncrementalDelivery } from '../doors/graphql/streams/incremental-delivery.ts';
import type { HTTPStatusProfile } from '../doors/graphql/status.ts';
import type { ContextValue } from '../operation/context.ts';
import {
  aFunction,
  anything,
  assertEntries,
  boolean,
  describe,
  hasMethods,
  isListOfText,
  isRecord,
  keyValueCache,
  positive,
  text,
} from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { FormatError } from '../operation/format-errors.ts';
import type { Logger } from '../operation/types.ts';
import type { ForeignPlugin, ServerPlugin } from '../operation/plugin.ts';
import type { TrustedDocumentOptions } from '../operation/documents/trusted-documents.ts';
import type { Resolvers, TypeDefs } from '../../executor/schema/index.ts';

export type { ContextFits, ContextValue } from '../operation/context.ts';

/**
 * All options of a server. Only a schema is required: `typeDefs` (with `resolvers`) or `schema`.
 *
 * The type parameters are inferred from `context` and `dataSources` alone. Write these two above `resolvers`: TypeScript reads
 * object literals in order. Resolvers and plugins of other files may name the part of the context that they read.
 */
export interface ServerOptions<
  TContext extends object = object,
  TDataSources extends object = object,
  TEvent = unknown,
  TPlatformContext = unknown,
  TEnv = unknown,
> {
  /** The schema as SDL text, a parsed document, or a list of these. */
  readonly typeDefs?: TypeDefs | undefined;
  /** Returns the context value. Called once for each operation, including those of a batch. May be asynchronous. Default: an empty object. */
  readonly context?: ((argument: ContextArgument<TEvent, TPlatformContext, TEnv>) => TContext | Promise<TContext>) | undefined;
  /** Returns new data sources for one operation, which become `contextValue.dataSources`. Default: none. */
  readonly dataSources?: (() => TDataSources) | undefined;
  /** The resolvers of `typeDefs`: a map, or a list of maps. Default: every field is read from its parent object. */
  readonly resolvers?: Resolvers<ContextValue<NoInfer<TContext>, NoInfer<TDataSources>>> | undefined;
  /** A schema created in code, instead of `typeDefs` and `resolvers`. */
  readonly schema?: GraphQLSchema | undefined;
  /** The parent of the root fields, or a function that gets the document and returns the parent. Default: undefined. */
  readonly rootValue?: unknown;
  /** Resolves fields that have no resolver. Default: graphql-js's own, which reads the property of the parent. */
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown> | undefined;
  /**
   * `graphqlJSExecutor()` of `graphql-functions/graphql-js`: lets graphql-js run every operation. A plan gives the same results,
   * faster. Default: each operation has a plan.
   */
  readonly executor?: GraphQLJSExecutor | undefined;
  /** Additional validation rules for documents. Default: none. */
  readonly validationRules?: readonly ValidationRule[] | undefined;

  /** The store for the responses of data sources. "bounded": 30 MiB in memory, or 1/32 of the memory of a Lambda function or container below 960 MB. Default: "bounded". */
  readonly cache?: 'bounded' | KeyValueCache | undefined;
  /** Hooks into the start and stop of the server, requests and operations. Default: none. */
  readonly plugins?:
    | readonly (
        | ServerPlugin<object extends NoInfer<TContext> ? any : ContextValue<NoInfer<TContext>, NoInfer<TDataSources>>>
        | ForeignPlugin
      )[]
    | undefined;
  /** false: no page for browsers, unless a plugin has one. Default: the playground, only when NODE_ENV is development. */
  readonly landingPage?: boolean | undefined;
  /** Logs messages that clients must not see. Default: the console. */
  readonly logger?: Logger | undefined;

  /**
   * Refuse requests that a page of another site could have sent without a preflight. true is recommended; an object
   * also replaces the list of accepted headers. Default: refuse only those that the browser marks as coming from another site.
   */
  readonly csrfPrevention?: boolean | { readonly requestHeaders: readonly string[] } | undefined;
  /** false: refuse arrays of operations. `limit`: the maximum number of operations in an array. Default: 10. */
  readonly allowBatchedHttpRequests?: boolean | { readonly limit: number } | undefined;
  /** Cross-origin resource sharing, with the options of the package `cors`. Default: none, so no header is sent. */
  readonly cors?: CORSOptions | undefined;
  /**
   * `incrementalDelivery()` of `graphql-functions/incremental`: adds `@defer` and `@stream` to the schema, and answers them in
   * several parts if client and platform support it. Default: each operation has one answer.
   */
  readonly incrementalDelivery?: IncrementalDelivery | undefined;
  /** The statuses of answers: '2026-09' for GraphQL over HTTP, September 2026; 'classic' for the older statuses. Default: '2026-09'. */
  readonly httpStatusProfile?: HTTPStatusProfile | undefined;

  /** Allow `__schema` and `__type` in operations, and put "Did you mean …?" into errors. Default: only when NODE_ENV is development. */
  readonly introspection?: boolean | undefined;
  /** Replace the messages of unexpected errors with "Internal server error". Default: unless NODE_ENV is development or test. */
  readonly maskErrors?: boolean | undefined;
  /** Send `extensions.stacktrace` with errors that resolvers or the server threw. Default: only when NODE_ENV is development. */
  readonly includeStacktraceInErrorResponses?: boolean | undefined;
  /** Returns the final form of each error. Gets the error as it would be sent, and the original error. */
  readonly formatError?: FormatError | undefined;

  /**
   * Automatic persisted queries: clients may send the SHA-256 hash of a document that they have sent before. Stored in
   * memory, 3 MiB, and for a day in `cache` if you set one. false: off. Default: true.
   */
  readonly persistedQueries?: boolean | undefined;
  /**
   * Documents that clients may send by `documentId`, `id` or `doc_id`, from an Apollo operation manifest, Relay's persisted
   * queries or the client preset's persisted-documents.json, or a list of these. `only: true` refuses all others. Default: none.
   */
  readonly trustedDocuments?: TrustedDocumentOptions | undefined;

  /** Bytes of a decoded request body, and characters of a query string. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Bytes of an answer. A lower limit of the platform takes precedence. Default: the limit of the platform, or else 32 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Lexical tokens of a document, shared equally by the documents of a batch; also the fields of an operation with its fragments expanded. Default: 15,000. */
  readonly maxTokens?: number | undefined;
  /**
   * The time for a request: `{ ms, reserveMs, partial }`. At the deadline, the answer has all finished fields, and the error
   * DEADLINE_EXCEEDED for the others. false: no limit. Default: the limit of the platform, minus 500 ms.
   */
  readonly deadline?: false | DeadlineOptions | undefined;

  /** Overrides NODE_ENV. Default: the environment variable; if it is unset, production. */
  readonly nodeEnv?: string | undefined;
}

/** Throws for unknown options and wrong values, with a message that says what to write instead. */
export function assertOptions(options: unknown): asserts options is ServerOptions {
  if (!isRecord(options)) {
    throw new TypeError(`Expected options like { typeDefs, resolvers }, got ${describe(options)}.`);
  }
  assertOriginForm((options as ServerOptions).cors?.origin);
  const moved = ['maxDepth', 'maxAliases', 'maxCost', 'pageLimits'].find((name) => name in options);
  if (moved !== undefined)
    throw new TypeError(`Unknown option "${moved}". Write plugins: [limits({ ${moved} })], imported from "graphql-functions/limits".`);
  assertEntries('', options, expectations);
  const { cors } = options as ServerOptions;
  if (cors !== undefined) assertCredentials(cors);
}

/** Names of any other form may be added by a browser, a gateway or a proxy, to requests of other sites too. */
const requestHeaders: Expectation = {
  words: 'a list of names like "my-app-require-preflight" or "x-my-app-operation-name", which no browser or proxy adds to requests',
  holds: (value) => isListOfText(value) && value.length > 0 && value.every((name) => preflightHeader.test(name)),
};
const preflightHeader = /^(?:[\w-]+-require-preflight|x-[\w-]+-operation-name)$/i;

/** One entry per option: the type requires a check of each. */
const expectations: Readonly<Record<keyof ServerOptions, Expectation>> = {
  // These are checked when the schema is built.
  typeDefs: anything,
  resolvers: anything,
  schema: anything,
  context: { words: 'a function that returns the context value, for example () => ({ user })', holds: aFunction.holds },
  dataSources: { words: 'a function that returns new data sources, for example () => ({ books: new BooksAPI() })', holds: aFunction.holds },
  rootValue: anything,
  fieldResolver: aFunction,
  executor: {
    words: 'graphqlJSExecutor(), imported from "graphql-functions/graphql-js"',
    holds: (value) => hasMethods(value, 'executeWithGraphQLJS'),
  },
  validationRules: { words: 'a list of validation rules', holds: (value) => Array.isArray(value) && value.every(aFunction.holds) },
  cache: { words: `"bounded", or ${keyValueCache.words}`, holds: (value) => value === 'bounded' || keyValueCache.holds(value) },
  plugins: { words: 'a list of plugin objects such as costLine()', holds: (value) => Array.isArray(value) && value.every(isRecord) },
  landingPage: boolean,
  logger: { words: 'an object with debug, info, warn and error', holds: (value) => hasMethods(value, 'debug', 'info', 'warn', 'error') },
  csrfPrevention: {
    words: 'true, false, or { requestHeaders: [names] }',
    holds: (value) => boolean.holds(value) || has(value, 'requestHeaders'),
    entries: { requestHeaders },
  },
  allowBatchedHttpRequests: {
    words: 'true, false, or { limit: a positive whole number }',
    holds: (value) => boolean.holds(value) || has(value, 'limit'),
    entries: { limit: positive },
  },
  cors: { words: 'an object like { origin: ["https://example.com"] }', holds: isRecord, entries: corsExpectations },
  incrementalDelivery: {
    words: 'incrementalDelivery(), imported from "graphql-functions/incremental"',
    holds: (value) => hasMethods(value, 'execute') && 'multipart' in (value as object),
  },
  httpStatusProfile: { words: '"2026-09" or "classic"', holds: (value) => value === '2026-09' || value === 'classic' },
  introspection: boolean,
  maskErrors: boolean,
  includeStacktraceInErrorResponses: boolean,
  formatError: aFunction,
  persistedQueries: boolean,
  trustedDocuments: {
    words: '{ documents: a manifest or a list of manifests, only: true or false }',
    holds: (value) => has(value, 'documents'),
    entries: { documents: anything, only: boolean },
  },
  maxBodyBytes: positive,
  maxResultBytes: positive,
  maxTokens: positive,
  deadline: {
    words: 'false, or { ms, reserveMs, partial }, the first two in milliseconds',
    holds: (value) => value === false || isRecord(value),
    entries: {
      ms: { words: 'a positive number of milliseconds', holds: (value) => typeof value === 'number' && value > 0 },
      reserveMs: { words: 'a number of milliseconds that is not negative', holds: (value) => typeof value === 'number' && value >= 0 },
      partial: { words: '"PROPAGATE" or "NULL"', holds: (value) => value === 'PROPAGATE' || value === 'NULL' },
    },
  },
  nodeEnv: text,
};

/** True for an object with this entry, whose value is checked separately. */
function has(value: unknown, name: string): boolean {
  return isRecord(value) && value[name] !== undefined;
}
