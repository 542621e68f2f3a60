import { needsNoPreflight, parseJSON, readText } from '../../server/index.ts';
import { isGraphQLError } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import { refusal } from '../errors/apollo-error.ts';

/** The options of body-parser's `json` that are supported. */
export interface BodyParserConfig {
  /** Bytes, or a text like "5mb". Default: "100kb". */
  readonly limit?: number | string;
  /** false: take any JSON value, not only objects and arrays. Default: true. */
  readonly strict?: boolean;
  /** Media types that are read as JSON. Default: application/json. */
  readonly type?: string | readonly string[] | ((request: any) => any);
  readonly inflate?: boolean;
  readonly reviver?: (key: string, value: any) => any;
  readonly verify?: (...args: any[]) => void;
}

/**
 * The JSON value of a body, or what the host or its middleware has parsed. A body of a type that any page can send without a preflight
 * counts as absent, `{}`. Returns undefined with `false`, if nothing has parsed the body.
 */
export async function readBody({ headers, body }: HTTPRequest, given: BodyParserConfig | boolean = true): Promise<unknown> {
  const contentType = headers.get('content-type') ?? '';
  if (body.kind === 'none') return {};
  if (body.kind === 'value') return needsNoPreflight(contentType) ? {} : body.value;
  if (given === false) return undefined;
  const { limit = 102_400, strict = true, reviver, type }: BodyParserConfig = given === true ? {} : given;
  if (!isJSON(contentType, type)) return {};
  const maxBytes = bytesOf(limit);
  try {
    const text = (await readText(body, maxBytes)).replace(/^\uFEFF/, '');
    if (text === '') return {};
    if (strict && !/^[ \t\n\r]*[{[]/.test(text)) throw notJSON();
    return parseJSON(text, Infinity, false, reviver);
  } catch (error) {
    if (!isGraphQLError(error)) throw error;
    const { status } = (error.extensions['http'] ?? {}) as { status?: number };
    throw status === 413 ? refusal(413, 'request entity too large') : notJSON();
  }
}

/** The engine's message quotes the body, which may contain a password, so it is not passed on. */
function notJSON(): Error {
  return refusal(400, 'Expected the body to be JSON, but it does not parse.');
}

function isJSON(contentType: string, type: BodyParserConfig['type'] = 'application/json'): boolean {
  const essence = contentType.split(';')[0]!.trim().toLowerCase();
  // Bodies of these types are never read, even if the options list the types.
  if (essence === '' || needsNoPreflight(essence)) return false;
  const accepted = typeof type === 'function' ? ['application/json'] : [type].flat().map((one) => one.toLowerCase());
  return accepted.some((one) => {
    if (one === '*/*' || one === essence || one === essence.split('/')[1]) return true;
    return /^(?:\*\/\*)?\+/.test(one) && essence.endsWith(one.slice(one.indexOf('+')));
  });
}

function bytesOf(limit: number | string): number {
  if (typeof limit === 'number') return limit;
  const [, amount, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?\s*$/i.exec(limit) ?? [];
  if (amount === undefined)
    throw new TypeError(`Expected bodyParserConfig.limit to be a number of bytes or a text like "5mb", got "${limit}".`);
  return Math.floor(Number(amount) * 1024 ** ['b', 'kb', 'mb', 'gb'].indexOf(unit.toLowerCase()));
}
