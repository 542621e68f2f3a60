import type { HTTPRequest, HTTPRequestBody } from '../../shared/index.ts';
import { needsNoPreflight } from './csrf.ts';

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

/** A body that cannot be read, and the status to say so with. */
export class BodyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The JSON value of a body. A body of another media type counts as absent, `{}`: it is never parsed, because pages
 * of other sites can send such bodies without a preflight.
 */
export async function readBody(request: HTTPRequest, config: BodyParserConfig): Promise<unknown> {
  const { headers, body } = request;
  const parsed = parsedBody(request);
  if (parsed !== undefined || body.kind === 'none' || body.kind === 'value') return parsed;
  if (!isJSON(headers.get('content-type'), config)) return {};
  const text = await textOf(body, bytesOf(config.limit ?? 102_400));
  if (text === '') return {};
  if (config.strict !== false && !/^[ \t\n\r]*[{[]/.test(text)) throw notJSON();
  try {
    return JSON.parse(text, config.reviver as Parameters<typeof JSON.parse>[1]) as unknown;
  } catch {
    throw notJSON();
  }
}

/**
 * The body as the host or its middleware has parsed it; undefined when it is still to be read. A parsed form counts as absent,
 * because a page can send it without a preflight.
 */
export function parsedBody({ headers, body }: HTTPRequest): unknown {
  if (body.kind === 'none') return {};
  return body.kind === 'value' ? (needsNoPreflight(headers.get('content-type') ?? '') ? {} : body.value) : undefined;
}

/** The engine's message quotes the body, which may contain a password, so it is not passed on. */
function notJSON(): BodyError {
  return new BodyError(400, 'Expected the body to be JSON, but it does not parse.');
}

function isJSON(contentType: string | null, { type }: BodyParserConfig): boolean {
  const essence = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const accepted = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as string[]) : ['application/json'];
  return accepted.some((one) => matches(essence, one.toLowerCase()));
}

/** Media types that need no preflight are never read, even if the options list them. */
function matches(essence: string, accepted: string): boolean {
  if (essence === '' || needsNoPreflight(essence)) return false;
  if (accepted === '*/*' || accepted === essence || accepted === essence.split('/')[1]) return true;
  return accepted.startsWith('*/*+') || accepted.startsWith('+') ? essence.endsWith(accepted.slice(accepted.indexOf('+'))) : false;
}

async function textOf(body: Exclude<HTTPRequestBody, { kind: 'none' | 'value' }>, limit: number): Promise<string> {
  if (body.kind === 'text') {
    if (body.text.length * 3 > limit && new TextEncoder().encode(body.text).byteLength > limit) throw tooLarge();
    return withoutMark(body.text);
  }
  const bytes = body.kind === 'bytes' ? body.bytes : await body.read(limit);
  if (bytes.byteLength > limit) throw tooLarge();
  return withoutMark(new TextDecoder('utf-8').decode(bytes));
}

function tooLarge(): BodyError {
  return new BodyError(413, 'request entity too large');
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const units: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

function bytesOf(limit: number | string): number {
  if (typeof limit === 'number') return limit;
  const [, amount, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?\s*$/i.exec(limit) ?? [];
  if (amount === undefined)
    throw new TypeError(`Expected bodyParserConfig.limit to be a number of bytes or a text like "5mb", got "${limit}".`);
  return Math.floor(Number(amount) * units[unit.toLowerCase()]!);
}
