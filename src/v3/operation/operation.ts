import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema } from 'graphql';

import type { Capacity, OperationInvocation } from '../../shared/index.ts';
import type { KeptPlans } from '../../executor/index.ts';
import type { KeyValueCache } from '../../datasources/index.ts';
import type { DocumentSettings } from '../../server/for-v3.ts';
import type {
  DataSource,
  ApolloServerPlugin,
  GraphQLExecutor,
  GraphQLRequestContext,
  GraphQLRequestListener,
  GraphQLResponse,
  Logger,
} from '../types.ts';
import type { ApolloError } from '../errors/apollo-error.ts';
import type { FormatError } from '../errors/format-errors.ts';
import type { PersistedQuerySettings } from './persisted-query.ts';

/** Parsed and validated documents by the hash of their text. */
export interface DocumentStore {
  get(key: string): Promise<DocumentNode | undefined>;
  set(key: string, document: DocumentNode): Promise<void>;
  delete?(key: string): Promise<boolean | void>;
}

/** What an operation needs of the server. */
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
  /** `formatError` sees stack traces even if they are not sent. */
  readonly showStacks?: boolean | undefined;
  readonly logger: Logger;
}

/** The part of a call that an operation needs. */
export interface OperationCall {
  /** Undefined in `executeOperation`, which no platform calls. */
  readonly invocation: OperationInvocation | undefined;
  /** Those of its batch, which have equal shares of the limits; or 1. */
  readonly operations: number;
  /** The limit of the answer. Undefined: none. */
  readonly capacity: Capacity | undefined;
}

/** A running operation. */
export interface Operation extends OperationCall {
  readonly config: PipelineConfig;
  readonly context: GraphQLRequestContext<any>;
  readonly listeners: readonly GraphQLRequestListener<any>[];
  /** The plans of the document. Undefined if it is not cached here. */
  plans?: KeptPlans | undefined;
}

/** Thrown to end the pipeline with the errors of an answer. Anything else thrown is a failure of the server. */
export class RefusedOperation extends Error {
  readonly errors: readonly Error[];
  readonly errorClass: (new (message: string) => ApolloError) | undefined;

  constructor(errors: readonly Error[], errorClass?: new (message: string) => ApolloError) {
    super(errors[0]?.message);
    this.errors = errors;
    this.errorClass = errorClass;
  }
}
