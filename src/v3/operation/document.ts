import { GraphQLError } from 'graphql';

import type { KeptPlans } from '../../executor/index.ts';
import { DocumentError, loadDocument, toGraphQLError } from '../../server/index.ts';
import type { DocumentHooks } from '../../server/index.ts';
import { messageOf, sha256 } from '../../shared/index.ts';
import type { OperationInvocation } from '../../shared/index.ts';
import { PersistedQueryNotFoundError, PersistedQueryNotSupportedError, SyntaxError, ValidationError } from '../errors/apollo-error.ts';
import type { QueryOptions } from '../options.ts';
import type { GraphQLRequestContext, GraphQLRequestListener } from '../types.ts';
import { RefusedOperation, startPhase } from './hooks.ts';

/** The parts of an operation that are needed to read its document. */
interface Reading {
  readonly options: QueryOptions;
  readonly context: GraphQLRequestContext<any>;
  readonly listeners: readonly GraphQLRequestListener<any>[];
  readonly invocation?: OperationInvocation;
  readonly operations: number;
}

/**
 * Sets the source: the text of the request, or the text that a hash names by Apollo's protocol for automatic persisted queries. Returns a
 * function that registers it, if the client asks for that.
 */
export async function readSource({ options, context, invocation }: Reading): Promise<(() => void) | undefined> {
  const { request, metrics, logger } = context;
  const { query, extensions } = request;
  Object.assign(metrics, { persistedQueryHit: false, persistedQueryRegister: false });
  const persisted = extensions?.['persistedQuery'] as { readonly version?: unknown; readonly sha256Hash?: unknown } | undefined;
  if (!persisted) {
    if (!query) throw refused('GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.');
    context.source = query;
    return undefined;
  }
  const { cache, ttl } = options.persistedQueries ?? {};
  if (cache === undefined) throw new RefusedOperation([new PersistedQueryNotSupportedError()]);
  const { version, sha256Hash: hash } = persisted;
  if (version !== 1) throw refused('Unsupported persisted query version');
  if (query === undefined) {
    const source = typeof hash === 'string' ? await cache.get(hash) : undefined;
    if (!source) throw new RefusedOperation([new PersistedQueryNotFoundError()]);
    metrics.persistedQueryHit = true;
    context.source = source;
    return undefined;
  }
  // Without this check, a client could store its document under the hash of another.
  if (typeof hash !== 'string' || hash !== sha256(query)) throw refused('provided sha does not match query');
  metrics.persistedQueryRegister = true;
  context.source = query;
  return () => {
    const registered = cache.set(hash, query, ttl === undefined ? {} : { ttl }).catch((error: unknown) => logger.warn(error));
    invocation?.waitUntil(registered);
  };
}

function refused(message: string): RefusedOperation {
  return new RefusedOperation([new GraphQLError(message)]);
}

/**
 * Sets the document: from the document store, from the cache, or parsed and validated with the plugins' hooks. Returns its plans; undefined
 * if it is not cached here.
 */
export async function readDocument(reading: Reading): Promise<KeptPlans | undefined> {
  const { options, context, operations, invocation } = reading;
  const { documentStore: store } = options;
  const key = store ? context.queryHash! : '';
  try {
    const stored = await store?.get(key);
    if (stored !== undefined) {
      context.document = stored;
      return undefined;
    }
  } catch (error) {
    context.logger.warn(`An error occurred while attempting to read from the documentStore. ${messageOf(error)}`);
  }
  const known = await loadDocument(options.documents, context.source!, hooksOf(reading), operations);
  if (known instanceof GraphQLError) throw refusalOf([known], SyntaxError);
  context.document = known.document;
  if (store) {
    const warn = (error: unknown): void => context.logger.warn(`Could not store validated document. ${messageOf(error)}`);
    const stored = (async () => store.set(key, known.document))().catch(warn);
    invocation?.waitUntil(stored);
  }
  return known.plans;
}

/** Plugins see the errors of graphql-js without a code. The error class adds the code for clients. */
function refusalOf(errors: readonly GraphQLError[], errorClass: typeof SyntaxError): RefusedOperation {
  for (const { extensions } of errors) delete extensions['code'];
  return new RefusedOperation(errors, errorClass);
}

/** Parsing and validation with version 3's hooks and error classes. */
function hooksOf({ options, context, listeners }: Reading): DocumentHooks {
  return {
    aroundParsing: async (parse) => {
      const end = await startPhase(listeners, 'parsingDidStart', context);
      try {
        context.document = parse();
      } catch (error) {
        await end(error);
        throw refusalOf([toGraphQLError(error)], SyntaxError);
      }
      await end();
      return context.document;
    },
    aroundValidation: async (document, validate) => {
      context.document = document;
      if (options.dangerouslyDisableValidation === true) return;
      const end = await startPhase(listeners, 'validationDidStart', context);
      try {
        validate();
      } catch (error) {
        // If a custom rule fails, the server is at fault, not the document.
        if (!(error instanceof DocumentError || error instanceof GraphQLError)) throw error;
        const errors = error instanceof DocumentError ? error.errors : [error];
        await end(errors);
        throw refusalOf(errors, ValidationError);
      }
      await end();
    },
  };
}
