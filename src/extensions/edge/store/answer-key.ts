import { sha256 } from '../../../shared/index.ts';
import type { HTTPRequest } from '../../../shared/index.ts';
import type { GraphQLRequest } from '../../../server/index.ts';
import type { ReadingRules } from '../watched-request.ts';

/** The parts of the key of an answer. */
export interface AnswerKeyInput {
  readonly original: HTTPRequest;
  readonly request: GraphQLRequest;
  readonly rules: ReadingRules;
  /** Separates the keys of other versions of the function, and of other functions. */
  readonly deploy: string;
}

/**
 * The key of an answer: every value that a public answer may depend on. Undefined: the server has to run the request, because it registers
 * a persisted query, or is larger than that of any client.
 */
export function answerKey({ original, request, rules, deploy }: AnswerKeyInput): string | undefined {
  const { query, documentId, operationName, variables, extensions = {}, onError } = request;
  if (Object.keys(extensions).length > maxValues) return undefined;
  const { persistedQuery, ...others } = extensions;
  if (query !== undefined && persistedQuery !== undefined) return undefined;
  if (query === undefined && persistedQuery === undefined && documentId === undefined) return undefined;
  const parts = [
    deploy,
    original.method,
    original.path,
    restOfQuery(original),
    [...rules.varyHeaders].map((name) => original.headers.get(name)),
    // The key has all names of a document, because the server decides which of them it uses.
    query ?? null,
    persistedQuery ?? null,
    documentId ?? null,
    operationName ?? null,
    onError ?? null,
    variables ?? {},
    others,
  ];
  const text = new CanonicalJSON().textOf(parts, 0);
  return text === undefined ? undefined : `answer:${sha256(text)}`;
}

/** The parameters whose parsed values are in the key. */
const parsed = /^(?:query|operationName|variables|extensions|onError)(?:=|$)/;

/** The other parameters of the query string, unchanged: a function may read them. */
function restOfQuery({ method, queryString }: HTTPRequest): string {
  if (method !== 'GET') return queryString;
  return queryString
    .split('&')
    .filter((pair) => !parsed.test(pair))
    .join('&');
}

/** Values, and levels of them, beyond which a request has no key. `extensions` have no other limit: 90,000 members took 240 ms, and 5,000 levels the stack. */
const maxValues = 10_000;
const maxLevels = 250;

/** JSON with the members of every object in one order, so that equal values have one text. The values must come from JSON. */
class CanonicalJSON {
  #left = maxValues;

  /** Undefined if there are too many values. */
  textOf(value: unknown, level: number): string | undefined {
    if (--this.#left < 0 || level > maxLevels) return undefined;
    // JSON reads 1e400 as Infinity, which it writes as null, and writes -0 as 0.
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    return Array.isArray(value) ? this.#listOf(value, level) : this.#objectOf(value, level);
  }

  #listOf(list: readonly unknown[], level: number): string | undefined {
    const items: string[] = [];
    for (const item of list) {
      const text = this.textOf(item, level + 1);
      if (text === undefined) return undefined;
      items.push(text);
    }
    return `[${items.join(',')}]`;
  }

  #objectOf(object: object, level: number): string | undefined {
    const names = Object.keys(object);
    if (names.length > this.#left) return undefined;
    const members: string[] = [];
    for (const name of names.toSorted()) {
      const member = (object as Readonly<Record<string, unknown>>)[name];
      if (member === undefined) continue;
      const text = this.textOf(member, level + 1);
      if (text === undefined) return undefined;
      members.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${members.join(',')}}`;
  }
}
