import type { GraphQLRequest } from '../types.ts';
import { persistedQueriesNotSupported, persistedQueryHash, resolvePersistedQuery } from './persisted-queries.ts';
import type { PersistedQuery, PersistedQuerySettings } from './persisted-queries.ts';
import { notTrusted } from './trusted-documents.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** Where documents may come from beside the request itself. */
export interface SourceSettings {
  /** Undefined: automatic persisted queries are off. */
  readonly persistedQueries: PersistedQuerySettings | undefined;
  readonly trustedDocuments: TrustedDocuments | undefined;
}

/** True when the text that a request brings is its document, and nothing else need be asked. */
export function isPlainSource({ persistedQueries, trustedDocuments }: SourceSettings, { query, extensions }: GraphQLRequest): boolean {
  return query !== undefined && trustedDocuments === undefined && (persistedQueries === undefined || extensions === undefined);
}

/** Request → the text of its document: sent along, or known by an id or a hash. A promise only when a store is asked. */
export function resolveSource(settings: SourceSettings, request: GraphQLRequest): PersistedQuery | Promise<PersistedQuery> {
  const { persistedQueries, trustedDocuments } = settings;
  const { query, extensions, documentId } = request;
  const hash = persistedQueryHash(extensions);
  const trusted = trustedDocuments && findTrusted(trustedDocuments, query, documentId ?? hash);
  if (trusted !== undefined) return { source: trusted, keep: undefined };
  if (hash !== undefined && persistedQueries !== undefined) return resolvePersistedQuery(persistedQueries, hash, query);
  if (query !== undefined) return { source: query, keep: undefined };
  if (documentId !== undefined) throw notTrusted(shown(documentId));
  throw persistedQueriesNotSupported();
}

/** Undefined: not among the trusted documents, and others are welcome. The text of a request goes before its id. */
function findTrusted(documents: TrustedDocuments, query: string | undefined, id: string | undefined): string | undefined {
  const known = query === undefined && id !== undefined ? documents.find(id) : undefined;
  if (known !== undefined || !documents.only) return known;
  if (query !== undefined && documents.has(query)) return query;
  throw notTrusted(id !== undefined && query === undefined ? shown(id) : 'another document');
}

function shown(id: string): string {
  return `the id ${JSON.stringify(id.slice(0, 80))}`;
}
