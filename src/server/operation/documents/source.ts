import type { PromiseOrValue, ResponseHead } from '../../../shared/index.ts';
import type { OperationHooks } from '../hooks.ts';
import type { GraphQLRequest } from '../types.ts';
import { assertHash, persistedQueriesNotSupported, persistedQueryHash, resolvePersistedQuery } from './persisted-queries.ts';
import type { FoundSource, PersistedQuerySettings } from './persisted-queries.ts';
import { notTrusted } from './trusted-documents.ts';
import type { TrustedDocument, TrustedDocuments } from './trusted-documents.ts';

/** Where documents may come from, other than the request itself. */
export interface SourceSettings {
  /** Undefined: automatic persisted queries are off. */
  readonly persistedQueries: PersistedQuerySettings | undefined;
  readonly trustedDocuments: TrustedDocuments | undefined;
}

/** The text of the document: from the request, or by its hash or id. Then `didResolveSource` of the plugins. */
export function findSource(settings: SourceSettings, { request, head, hooks }: FindingOperation): PromiseOrValue<FoundSource> {
  const { query, extensions } = request;
  const { persistedQueries, trustedDocuments } = settings;
  // Most requests bring their text, and nothing else has to be looked up.
  const isPlain = query !== undefined && trustedDocuments === undefined && (persistedQueries === undefined || extensions === undefined);
  const found = isPlain ? { source: query, keep: undefined } : resolveSource(settings, request);
  if (found instanceof Promise || hooks !== undefined || found.isRefusedInProduction === true) return announce(found, head, hooks);
  return found;
}

/** The fields of an operation that finding its document needs. */
interface FindingOperation {
  readonly request: GraphQLRequest;
  readonly head: ResponseHead;
  readonly hooks: Pick<OperationHooks, 'didResolveSource'> | undefined;
}

async function announce(finding: PromiseOrValue<FoundSource>, head: ResponseHead, hooks: FindingOperation['hooks']): Promise<FoundSource> {
  const found = await finding;
  if (found.isRefusedInProduction === true)
    head.headers.set('graphql-functions-notice', 'Production refuses this operation: it is not in trustedDocuments.');
  await hooks?.didResolveSource(found.source);
  return found;
}

/** Finds the text of a request's document: sent with it, or known by an id or a hash. Returns a promise only if it reads a store. */
function resolveSource(settings: SourceSettings, request: GraphQLRequest): PromiseOrValue<FoundSource> {
  const { persistedQueries, trustedDocuments } = settings;
  const { query, extensions, documentId } = request;
  const hash = persistedQueryHash(extensions);
  const trusted = trustedDocuments && findTrusted(trustedDocuments, query, documentId ?? hash);
  const isRefusedInProduction = trusted === undefined && trustedDocuments?.only === 'in production';
  const onError = trusted?.onError;
  if (hash !== undefined && persistedQueries !== undefined && (query !== undefined || trusted === undefined))
    return resolvePersistedQuery(persistedQueries, { hash, query, onError, isRefusedInProduction });
  if (query !== undefined && hash !== undefined && trusted !== undefined) assertHash(hash, query);
  if (trusted !== undefined) return { source: trusted.text, keep: undefined, onError };
  if (query !== undefined) return { source: query, keep: undefined, isRefusedInProduction };
  if (documentId !== undefined) throw notTrusted(shown(documentId));
  throw persistedQueriesNotSupported();
}

/** Undefined if the document is not trusted, but others are allowed. The text of a request takes precedence over its id. */
function findTrusted(documents: TrustedDocuments, query: string | undefined, id: string | undefined): TrustedDocument | undefined {
  const known = query === undefined ? id !== undefined && documents.find(id) : documents.withText(query);
  if (known) return known;
  if (!documents.only) return undefined;
  if (query !== undefined && documents.only === 'in production') return undefined;
  throw notTrusted(id !== undefined && query === undefined ? shown(id) : 'another document');
}

function shown(id: string): string {
  return `the id ${JSON.stringify(id.slice(0, 80))}`;
}
