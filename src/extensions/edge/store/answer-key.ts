import { canonicalJSON, sha256 } from '../../../shared/index.ts';
import type { HTTPRequest } from '../../../shared/index.ts';
import type { GraphQLRequest, RequestCall } from '../../../server/index.ts';
import type { ReadingRules } from '../watched-request.ts';

/**
 * The key of an answer: every value that a public answer may depend on. Undefined: the server has to run the request, because it registers
 * a persisted query, or is larger than that of any client. `deploy` separates the keys of other versions of the function, and of other functions.
 */
export function answerKey(
  { request: original, door }: Pick<RequestCall, 'request' | 'door'>,
  request: GraphQLRequest,
  rules: ReadingRules,
  deploy: string,
): string | undefined {
  const { query, documentId, operationName, variables, extensions = {}, onError } = request;
  if (Object.keys(extensions).length > maxExtensions) return undefined;
  const { persistedQuery, ...others } = extensions;
  if (query !== undefined && persistedQuery !== undefined) return undefined;
  if (query === undefined && persistedQuery === undefined && documentId === undefined) return undefined;
  const parts = [
    deploy,
    original.method,
    original.path,
    door === 'graphql' ? restOfQuery(original) : original.queryString,
    [...rules.varyHeaders].map((name) => original.headers.get(name)),
    // The key has every name that a request gives its document, because the server decides which of these names it uses.
    query ?? null,
    persistedQuery ?? null,
    documentId ?? null,
    operationName ?? null,
    onError ?? null,
    variables ?? {},
    others,
  ];
  const text = canonicalJSON(parts);
  return text === undefined ? undefined : `answer:${sha256(text)}`;
}

/** 90,000 members took 240 ms. */
const maxExtensions = 10_000;

/** The parameters of the door for GraphQL whose parsed values are in the key. */
const parsed = /^(?:query|operationName|variables|extensions|onError)(?:=|$)/;

/** The other parameters of the query string, unchanged: a function may read them. */
function restOfQuery({ method, queryString }: HTTPRequest): string {
  if (method !== 'GET') return queryString;
  return queryString
    .split('&')
    .filter((pair) => !parsed.test(pair))
    .join('&');
}
