import { isListOfText } from '../../shared/index.ts';

/** The keys that a platform accepts in a result, and the key for cookies. */
export interface ResultContract {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
  readonly cookies: 'cookies' | 'multiValueHeaders' | 'one';
}

const restAPI: ResultContract = {
  required: ['statusCode'],
  allowed: ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'],
  cookies: 'multiValueHeaders',
};

/** The contract of each kind of result. For other keys, platforms answer 502 or ignore them. */
export const contracts: Readonly<Record<'restAPI' | 'payloadV2' | 'alb' | 'albMulti' | 'lattice' | 'netlifyV1', ResultContract>> = {
  restAPI,
  payloadV2: { required: ['statusCode'], allowed: ['statusCode', 'headers', 'cookies', 'body', 'isBase64Encoded'], cookies: 'cookies' },
  alb: {
    required: ['statusCode', 'headers', 'body'],
    allowed: ['statusCode', 'statusDescription', 'headers', 'body', 'isBase64Encoded'],
    cookies: 'one',
  },
  albMulti: {
    required: ['statusCode', 'multiValueHeaders', 'body'],
    allowed: ['statusCode', 'statusDescription', 'multiValueHeaders', 'body', 'isBase64Encoded'],
    cookies: 'multiValueHeaders',
  },
  lattice: { required: ['statusCode', 'headers'], allowed: ['statusCode', 'headers', 'body', 'isBase64Encoded'], cookies: 'one' },
  netlifyV1: restAPI,
};

/** Converts a result object to a response as the platform does. Throws a TypeError for a result that the platform would reject. */
export function toResponse(contract: ResultContract, result: unknown): Response {
  const object = throughJSON(result);
  for (const key of Object.keys(object))
    expect(contract.allowed.includes(key), `has the key "${key}"; allowed are ${list(contract.allowed)}`);
  for (const key of contract.required) expect(key in object, `has no "${key}"; required are ${list(contract.required)}`);

  const { statusCode, headers, multiValueHeaders, cookies, body, isBase64Encoded } = object;
  const status = Number(statusCode);
  expect(Number.isInteger(status) && status >= 200 && status < 600, `has the statusCode ${JSON.stringify(statusCode)}`);
  expect(body === undefined || body === null || typeof body === 'string', `has a body that is ${typeof body}, not a string`);
  const fields = new Headers();
  addSingle(fields, headers);
  addLists(fields, multiValueHeaders);
  expect(cookies === undefined || isListOfText(cookies), 'has "cookies" that are not a list of strings');
  for (const cookie of (cookies ?? []) as readonly string[]) fields.append('set-cookie', cookie);
  expect(
    contract.cookies !== 'one' || fields.getSetCookie().length <= 1,
    'sets several cookies, but this platform sends only one: enable multi-value headers for the target group',
  );
  return new Response(withoutBody.has(status) ? null : toBytes(body, isBase64Encoded === true), { status, headers: fields });
}

/** Statuses for which a web `Response` must not have a body. */
export const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** A platform receives the result as JSON, so some values are lost or changed. */
function throughJSON(result: unknown): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(result) as string | undefined;
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  expect(typeof value === 'object' && value !== null && !Array.isArray(value), `is ${text ?? typeof result}`);
  return value as Readonly<Record<string, unknown>>;
}

function addSingle(fields: Headers, map: unknown = {}): void {
  expect(isMap(map), 'has "headers" that are not an object');
  for (const [name, value] of Object.entries(map ?? {})) {
    expect(!Array.isArray(value), `has a list for "${name}" in "headers": lists belong in "multiValueHeaders"`);
    fields.append(name, String(value));
  }
}

/** These values take precedence over the other map. */
function addLists(fields: Headers, map: unknown = {}): void {
  expect(isMap(map), 'has "multiValueHeaders" that are not an object');
  for (const [name, values] of Object.entries(map ?? {})) {
    expect(Array.isArray(values), `has no list for "${name}" in "multiValueHeaders"`);
    fields.delete(name);
    for (const value of values) fields.append(name, String(value));
  }
}

function isMap(value: unknown): value is object | null {
  return typeof value === 'object' && !Array.isArray(value);
}

function toBytes(body: unknown, isBase64: boolean): string | Uint8Array<ArrayBuffer> | null {
  if (typeof body !== 'string') return null;
  return isBase64 ? Uint8Array.from(atob(body), (character) => character.codePointAt(0) ?? 0) : body;
}

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new TypeError(`The platform would reject this result: it ${what}.`);
}

function list(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ');
}

/** The results of an event stream. A reader that stops ends the subscription. */
export async function* readResults(response: Response): AsyncGenerator<unknown, void> {
  const reader = (response.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The event stream ended without the event "complete".');
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        if (/^event: complete$/m.test(event)) return;
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        // A comment keeps the connection open and has no data.
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  } finally {
    await reader.cancel();
  }
}
