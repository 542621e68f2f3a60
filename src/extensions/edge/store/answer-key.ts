import type { HTTPRequest } from '../../../message/http-messages.ts';
import type { GraphQLRequest } from '../../../operation/types.ts';
import { sha256 } from '../../document-hash.ts';
import type { ReadingRules } from '../watched-request.ts';

/** The parts of the key of an answer. */
export interface AnswerKeyInput {
  readonly asked: HTTPRequest;
  readonly request: GraphQLRequest;
  readonly rules: ReadingRules;
  /** Gives another version of the function, and another function, keys of their own. */
  readonly deploy: string;
}

/**
 * The key of an answer: every value that a public answer may depend on. Undefined where the server has to see the request itself:
 * it registers a text that comes with its hash.
 */
export function answerKey({ asked, request, rules, deploy }: AnswerKeyInput): string | undefined {
  const { query, documentId, operationName, variables, extensions = {} } = request;
  const { persistedQuery, ...others } = extensions;
  if (query !== undefined && persistedQuery !== undefined) return undefined;
  if (query === undefined && persistedQuery === undefined && documentId === undefined) return undefined;
  const parts = [
    deploy,
    asked.method,
    asked.path,
    restOfQuery(asked),
    [...rules.varyHeaders].map((name) => asked.headers.get(name)),
    // All that name a document: the server decides which of them counts.
    query ?? null,
    persistedQuery ?? null,
    documentId ?? null,
    operationName ?? null,
    variables ?? {},
    others,
  ];
  return `answer:${sha256(canonicalJSON(parts))}`;
}

/** The parameters that are in the key with their parsed values. */
const parsed = /^(?:query|operationName|variables|extensions)(?:=|$)/;

/** The other parameters of the query string, unchanged: a function may read them. */
function restOfQuery({ method, queryString }: HTTPRequest): string {
  if (method !== 'GET') return queryString;
  return queryString
    .split('&')
    .filter((pair) => !parsed.test(pair))
    .join('&');
}

/** JSON with the members of every object in one order, so that equal values have one text. The values must come from JSON. */
function canonicalJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(',')}]`;
  // JSON reads 1e400 as Infinity, which it writes as null, and writes -0 as 0.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJSON(member)}`).join(',')}}`;
}
