import type { GraphQLRequest } from '../types.ts';
import { persistedQueriesNotSupported, persistedQueryHash, resolvePersistedQuery } from './persisted-queries.ts';
import type { FoundSource, PersistedQuerySettings } from './persisted-queries.ts';
import { notTrusted } from './trusted-documents.ts';
import type { TrustedDocument, TrustedDocuments } from './trusted-documents.ts';

/** Where documents may come from, other than the request itself. */
export interface SourceSettings {
  /** Undefined: automatic persisted queries are off. */
  readonly persistedQueries: PersistedQuerySettings | undefined;
  readonly trustedDocuments: TrustedDocuments | undefined;
}

/** True when `query` is the document, with no hash or id to check. */
export function isPlainSource({ persistedQueries, trustedDocuments }: SourceSettings, { query, extensions }: GraphQLRequest): boolean {
  return query !== undefined && trustedDocuments === undefined && (persistedQueries === undefined || extensions === undefined);
}

/** Finds the text of a request's document: sent with it, or known by an id or a hash. Returns a promise only if it reads a store. */
export function resolveSource(settings: SourceSettings, request: GraphQLRequest): FoundSource | Promise<FoundSource> {
  const { persistedQueries, trustedDocuments } = settings;
  const { query, extensions, documentId } = request;
  const hash = persistedQueryHash(extensions);
  const trusted = trustedDocuments && findTrusted(trustedDocuments, query, documentId ?? hash);
  const isRefusedInProduction = trusted === undefined && trustedDocuments?.only === 'in production';
  if (trusted !== undefined) return { source: trusted.text, keep: undefined, onError: trusted.onError };
  if (hash !== undefined && persistedQueries !== undefined) return resolvePersistedQuery(persistedQueries, hash, query);
  if (query !== undefined) return { source: query, keep: undefined, isRefusedInProduction };
  if (documentId !== undefined) throw notTrusted(shown(documentId));
  throw persistedQueriesNotSupported();
}

/** Undefined if the document is not trusted, but others are allowed. The text of a request takes precedence over its id. */
function findTrusted(documents: TrustedDocuments, query: string | undefined, id: string | undefined): TrustedDocument | undefined {
  const known = query === undefined && id !== undefined ? documents.find(id) : undefined;
  if (known !== undefined || !documents.only) return known;
  if (query !== undefined && documents.has(query)) return { text: query };
  if (query !== undefined && documents.only === 'in production') return undefined;
  throw notTrusted(id !== undefined && query === undefined ? shown(id) : 'another document');
}

function shown(id: string): string {
  return `the id ${JSON.stringify(id.slice(0, 80))}`;
}
