import type { Event } from './events.ts';
import { post } from './plain-http.ts';
import { randomRequest } from './random-request.ts';
import type { Random } from './random.ts';
import type { Source } from './sources.ts';
import { generateWebRequest } from './web-request-generator.ts';

/** An unusual or malformed event that a platform might send, and the expected outcome. */
export interface GeneratedEvent {
  readonly event: unknown;
  /** The changes made to the event, for the message of a failure. */
  readonly story: string;
  /** 'mark': a plain POST, whose answer must contain its header. 'rejection': an event of no known source. 'contract': any answer but a 5xx. */
  readonly expected: { readonly kind: 'mark'; readonly mark: string } | { readonly kind: 'rejection' } | { readonly kind: 'contract' };
}

/** A plain POST that queries its own header: any other value is a leak. */
export function markedEvent(source: Source, random: Random): GeneratedEvent {
  const mark = `m${random.below(2 ** 31).toString(36)}`;
  const request = post({ query: '{ header(name: "x-mark") }' }, { headers: [['X-Mark', mark]] });
  return { event: source.build(request), story: 'a plain POST', expected: { kind: 'mark', mark } };
}

/** An event of the source: 15 % are plain POSTs with a mark, the others are changed in one to four places. */
export function generateEvent(source: Source, random: Random): GeneratedEvent {
  if (random.chance(0.15)) return markedEvent(source, random);
  if (source.name === 'web Request') return generateWebRequest(random);
  if (random.chance(0.02)) return { event: foreignEvent(random), story: 'an event of a queue', expected: { kind: 'rejection' } };
  if (random.chance(0.04)) {
    const event = random.pick(strangeEvents);
    return { event, story: 'no event at all', expected: expectedOf(event) };
  }

  const event = structuredClone(source.build(randomRequest(random))) as Event;
  const story: string[] = [];
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const [what, change] = random.pick(changesOfEvents);
    story.push(what);
    change(event, random);
  }
  return { event, story: story.join(', '), expected: expectedOf(event) };
}

/** An event that has a key of its source gets an answer, however malformed it is. Any other is rejected. */
function expectedOf(event: unknown): { readonly kind: 'contract' } | { readonly kind: 'rejection' } {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return { kind: 'rejection' };
  const { requestContext } = event as Event;
  const keys = Object.keys(event);
  const inContext = typeof requestContext === 'object' && requestContext !== null ? Object.keys(requestContext) : [];
  const isKnown =
    keys.length === 0 ||
    ('resource' in event && 'requestContext' in event) ||
    keys.some((key) => ['httpMethod', 'rawUrl', 'rawPath', 'raw_path', 'query'].includes(key)) ||
    inContext.some((key) => ['http', 'elb', 'serviceArn', 'serviceNetworkArn'].includes(key));
  return { kind: isKnown ? 'contract' : 'rejection' };
}

const strangeEvents: readonly unknown[] = [
  null,
  undefined,
  5,
  'event',
  true,
  [],
  [{}],
  {},
  { requestContext: {} },
  { version: '3.0' },
  { httpMethod: null },
  { headers: {} },
  { query: 7 },
];

function foreignEvent(random: Random): unknown {
  return random.pick<unknown>([
    { Records: [] },
    { Records: [{ eventSource: 'aws:sqs', body: '{}' }] },
    { requestContext: { connectionId: 'a' } },
    { awslogs: {} },
  ]);
}

type Change = readonly [what: string, change: (event: Event, random: Random) => void];

/** Changes only fields that the event has: a change of `raw_path` does nothing to an event of API Gateway. */
const changesOfEvents: readonly Change[] = [
  ...changesOf(['requestContext'], [undefined, null, {}, [], 'x', { http: null }, { http: {} }, { elb: null }, { identity: {} }]),
  ...changesOf(['version', 'resource'], ['9.9', null, 1]),
  ...changesOf(
    ['httpMethod', 'method'],
    ['get', '', 'PÖST', 'P\0ST', undefined, null, 5, {}, 'x'.repeat(10_000), '__proto__', ' POST ', 'HEAD'],
  ),
  ...changesOf(
    ['path', 'rawPath', 'raw_path'],
    ['', '//', '/\0', 'https://evil.example/', undefined, null, 7, {}, '?', '/a?query=%', '/x/health', '/'.repeat(10_000)],
  ),
  ...changesOf(
    ['headers', 'multiValueHeaders'],
    [undefined, null, [], 'accept: a', 5, {}, { 'content-type': undefined }, { accept: [] }, { accept: [null, 5] }],
  ),
  ...changesOf(
    ['body'],
    [undefined, null, '', true, 5, {}, { query: '{ __typename }' }, [], '{"query":', '"', '[[[[', 'e30', '\ufeff', '\ud800'],
  ),
  ...changesOf(['isBase64Encoded', 'is_base64_encoded'], [true, false, 'true', 1, null, undefined, {}]),
  ...changesOf(
    ['rawQueryString', 'rawQuery'],
    [undefined, null, 5, '%', '%E0%A4', '??', '&&==&', `query=${'%20'.repeat(4000)}`, '__proto__[x]=1&constructor=2', 'query=a&query=b'],
  ),
  ...changesOf(
    ['queryStringParameters', 'multiValueQueryStringParameters', 'query_string_parameters'],
    [
      undefined,
      null,
      5,
      [],
      'query',
      {},
      { query: 5 },
      { query: [null, '{ __typename }'] },
      { query: ['a', 'b'] },
      { query: '\ud800' },
      { query: '%' },
      { variables: '{' },
    ],
  ),
  ...changesOf(['cookies'], [null, 'a=1', [5, null], ['a\r\nb=1'], ['a=1', 'b=2'], {}]),
  ['a bent header', (event, random) => bendHeader(event, random)],
  ['a bent header', (event, random) => bendHeader(event, random)],
  ['a bent method', (event, random) => bendMethod(event, random)],
  [
    'a body of other bytes',
    (event, random) => (event['body'] = Buffer.from(String(event['body'])).toString(random.pick(['base64', 'base64url', 'hex']))),
  ],
  ['a body that is cut', (event) => (event['body'] = String(event['body']).slice(0, -3))],
  [
    'a key that objects have',
    (event) => Object.defineProperty(event, '__proto__', { value: { polluted: true }, enumerable: true, configurable: true }),
  ],
];

function changesOf(keys: readonly string[], values: readonly unknown[]): Change[] {
  return keys.map((key) => [
    key,
    (event, random) => {
      if (!(key in event)) return;
      const value = random.pick(values);
      if (value === undefined) delete event[key];
      else event[key] = structuredClone(value);
    },
  ]);
}

/** Names and values that HTTP forbids, that have a meaning in JavaScript, or that contradict another field. */
const bentHeaders: readonly (readonly [name: string, value: unknown])[] = [
  ['CONTENT-TYPE', 'text/plain'],
  ['content-type', `application/json;${'a'.repeat(5000)}`],
  ['Content-Type', 'APPLICATION/JSON; charset="UTF-8"'],
  ['content-type', 5],
  ['content-type', ['application/json', null]],
  ['__proto__', 'a'],
  ['constructor', 'b'],
  ['x y', 'c'],
  ['', 'd'],
  ['x-crlf', 'a\r\nset-cookie: b=1'],
  ['x-nul\0', 'a\0'],
  ['host', 'a b:99999'],
  ['host', '[::'],
  ['content-length', '-1'],
  ['transfer-encoding', 'chunked'],
  ['accept', ''],
  ['accept', ';;;,,,q=2'],
  ['origin', {}],
  ['x-emoji', '🌍'],
];

function bendHeader(event: Event, random: Random): void {
  const map = event[random.pick(['headers', 'multiValueHeaders'])];
  if (typeof map !== 'object' || map === null) return;
  const [name, value] = random.pick(bentHeaders);
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  if (random.chance(0.05)) for (let at = 0; at < 300; at++) (map as Event)[`x-${at}`] = 'y';
}

function bendMethod(event: Event, random: Random): void {
  const { http } = (event['requestContext'] ?? {}) as { http?: Event };
  const where = http ?? event;
  const key = http === undefined ? ('httpMethod' in event ? 'httpMethod' : 'method') : 'method';
  if (typeof where === 'object' && where !== null)
    where[key] = random.pick<unknown>(['post', 'Get', '', null, 5, 'PÖST', 'BREW', 'HEAD', 'OPTIONS']);
}
