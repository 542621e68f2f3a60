import type { GeneratedEvent } from './event-generator.ts';
import { webRequest } from './events.ts';
import { plainRequest } from './plain-http.ts';
import { bodies, oddHeaders, paths } from './random-request.ts';
import type { Random } from './random.ts';

/** A `Request` with an unusual body, URL or headers. */
export function generateWebRequest(random: Random): GeneratedEvent {
  const [what, body] = random.pick(webBodies);
  const headers: [string, string][] = random.chance(0.8) ? [['content-type', 'application/json']] : [];
  if (random.chance(0.3)) headers.push([...random.pick(oddHeaders)]);
  const method =
    body === undefined
      ? random.pick(['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PROPFIND', 'get'])
      : random.pick(['POST', 'POST', 'POST', 'PUT', 'BREW']);
  const query = random.pick(['', 'query=%7B__typename%7D', 'query=%', '%E0%A4=1&query', 'query=a&query=b', `query=${'+'.repeat(12_000)}`]);
  const request = webRequest(
    plainRequest({ method, path: random.pick(paths), query, headers }),
    body === undefined ? {} : { body: body(random), ...streaming },
  );
  if (random.chance(0.1)) request.text().catch(() => {});
  return {
    event: random.chance(0.1) ? withURL(request, random) : request,
    story: `${method} with ${what}`,
    expected: { kind: 'contract' },
  };
}

/** Required for a body that is a stream; the types of some versions do not have it. */
const streaming = { duplex: 'half' } as RequestInit;

type WebBody = NonNullable<RequestInit['body']>;

const webBodies: readonly (readonly [what: string, body: ((random: Random) => WebBody) | undefined])[] = [
  ['no body', undefined],
  ['a text', (random) => asBody(random.pick(bodies)(random))],
  ['a text', (random) => asBody(random.pick(bodies)(random))],
  ['bytes one by one', () => streamOf([...Buffer.from('{"query":"{ __typename }"}')].map((byte) => Uint8Array.of(byte)))],
  ['a stream that fails', () => streamOf([Buffer.from('{"query":')], new Error('The client went away.'))],
  ['a stream that fails at once', () => streamOf([], new Error('The client went away.'))],
  ['a stream of strings', () => streamOf(['{"query":"{ __typename }"}'])],
  ['a stream of other things', () => streamOf([null, 5, {}])],
  ['an empty stream', () => streamOf([])],
  ['a stream that is too long', () => streamOf(Array.from({ length: 20 }, () => new Uint8Array(65_536).fill(32)))],
  ['a form', () => new URLSearchParams({ query: '{ __typename }' })],
  ['a multipart form', () => multipart()],
  ['a Blob', () => new Blob(['{"query":"{ __typename }"}'])],
];

function asBody(body: unknown): WebBody {
  return typeof body === 'string' || body instanceof Uint8Array ? (body as WebBody) : JSON.stringify(body);
}

function streamOf(chunks: readonly unknown[], failure?: Error): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });
}

function multipart(): FormData {
  const form = new FormData();
  form.set('operations', '{"query":"{ __typename }"}');
  return form;
}

/** Requests of platforms can have URLs that `URL` rejects: an invalid Host, an absolute target, only a path. */
function withURL(request: Request, random: Random): Request {
  const url = random.pick([
    '/graphql?query=%7B__typename%7D',
    'http://a b/graphql',
    'http://[::/x?y',
    'https://h:99999/?query=',
    '',
    '*',
    'http://h',
    'http://h?query=/',
    '//#?',
  ]);
  return new Proxy(request, {
    get: (target, key) =>
      key === 'url'
        ? url
        : typeof Reflect.get(target, key, target) === 'function'
          ? (Reflect.get(target, key, target) as () => unknown).bind(target)
          : Reflect.get(target, key, target),
  });
}
