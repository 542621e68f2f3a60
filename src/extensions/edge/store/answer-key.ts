import type { HTTPRequest } from '../../../message/http-messages.ts';
import type { GraphQLRequest } from '../../../operation/types.ts';
import { sha256 } from '../../document-hash.ts';
import type { ReadingRules } from '../watched-request.ts';

/** The parts of the key of an answer. */
export interface AnswerKeyInput {
  readonly asked: HTTPRequest;
  readonly request: GraphQLRequest;
  readonly rules: ReadingRules;
  /** Another version of the function, or another function, has keys of its own. */
  readonly deploy: string;
}

/**
 * The key of an answer: all that it may depend on without being somebody's own. Undefined where the line has to see the request:
 * a text that comes with its hash is registered there.
 */
export function answerKey({ asked, request, rules, deploy }: AnswerKeyInput): string | undefined {
  const { query, documentId, operationName, variables, extensions = {} } = request;
  const { persistedQuery, ...others } = extensions;
  if (query !== undefined && persistedQuery !== undefined) return undefined;
  const document = query ?? persistedQuery ?? documentId;
  if (document === undefined) return undefined;
  const parts = [
    deploy,
    asked.method,
    asked.path,
    restOfQuery(asked),
    [...rules.varyHeaders].map((name) => asked.headers.get(name)),
    // The kind keeps an id that looks like a text apart from the text.
    query === undefined ? (persistedQuery === undefined ? 'id' : 'hash') : 'text',
    document,
    operationName ?? null,
    variables ?? {},
    others,
  ];
  return `answer:${sha256(canonicalJSON(parts))}`;
}

/** The parameters that are in the key by what was read of them. */
const parsed = /^(?:query|operationName|variables|extensions)(?:=|$)/;

/** What beside the operation stands in the query string, as it is: a function may read it. */
function restOfQuery({ method, queryString }: HTTPRequest): string {
  if (method !== 'GET') return queryString;
  return queryString
    .split('&')
    .filter((pair) => !parsed.test(pair))
    .join('&');
}

/** JSON with the members of every object in one order, so that equal values have one text. For values that came out of JSON. */
function canonicalJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJSON(member)}`).join(',')}}`;
}
