import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema } from 'graphql';

import type { Capacity } from '../../../message/answer-size.ts';
import type { OperationInvocation } from '../../../message/invocation.ts';
import type { KeyValueCache } from '../../../cache/key-value-cache.ts';
import type { DocumentSettings } from '../../../operation/documents/document.ts';
import type { BatchBudget } from '../../../operation/limits/batch-budget.ts';
import type { DataSource } from '../types.ts';
import type { ApolloError } from '../errors/apollo-error.ts';
import type { FormatError } from '../errors/format-errors.ts';
import type {
  ApolloServerPlugin,
  GraphQLExecutor,
  GraphQLRequestContext,
  GraphQLRequestListener,
  GraphQLResponse,
  Logger,
} from '../types.ts';
import type { PersistedQuerySettings } from './persisted-query.ts';

/** Documents that were parsed and validated before, by the hash of their text. */
export interface DocumentStore {
  get(key: string): Promise<DocumentNode | undefined>;
  set(key: string, document: DocumentNode): Promise<void>;
  delete?(key: string): Promise<boolean | void>;
}

/** All that an operation needs from the server. */
export interface PipelineConfig {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentSettings;
  readonly documentStore: DocumentStore | null | undefined;
  readonly dangerouslyDisableValidation?: boolean | undefined;
  readonly rootValue?: unknown;
  readonly executor?: GraphQLExecutor<any> | undefined;
  readonly fieldResolver?: GraphQLFieldResolver<any, any> | undefined;
  readonly dataSources?: (() => Record<string, DataSource>) | undefined;
  readonly persistedQueries?: PersistedQuerySettings | undefined;
  readonly formatError?: FormatError | undefined;
  readonly formatResponse?:
    | ((response: GraphQLResponse, requestContext: GraphQLRequestContext<any>) => GraphQLResponse | null | undefined)
    | undefined;
  readonly plugins: readonly ApolloServerPlugin<any>[];
  readonly cache: KeyValueCache;
  readonly debug?: boolean | undefined;
  /** `formatError` sees stack traces, also where they are not sent. */
  readonly showStacks?: boolean | undefined;
  readonly logger: Logger;
}

/** The part of its call that an operation may see. */
export interface OperationCall {
  /** Undefined: there is no platform's call, as in `executeOperation`. */
  readonly invocation: OperationInvocation | undefined;
  readonly budget: BatchBudget | undefined;
  /** How large the answer may become. Undefined: any size. */
  readonly capacity: Capacity | undefined;
}

/** An operation under way. */
export interface Operation extends OperationCall {
  readonly config: PipelineConfig;
  readonly context: GraphQLRequestContext<any>;
  readonly listeners: readonly GraphQLRequestListener<any>[];
}

/** Thrown to end the line with the errors of an answer; anything else that is thrown is the server's failure. */
export class Refusal extends Error {
  readonly errors: readonly Error[];
  readonly errorClass: (new (message: string) => ApolloError) | undefined;

  constructor(errors: readonly Error[], errorClass?: new (message: string) => ApolloError) {
    super(errors[0]?.message);
    this.errors = errors;
    this.errorClass = errorClass;
  }
}
