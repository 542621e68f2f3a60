import type { Socket } from 'node:net';
import * as zlib from 'node:zlib';

/** One kind of request, and the response of a raw socket. */
export interface Kind {
  readonly name: string;
  /** The path of the request. Default: "/a" */
  readonly path?: string;
  /** Creates the options of the request. Called for each implementation, because a body can be sent only once. */
  readonly init?: () => RequestInit;
  /** Returns the bytes of the response, or writes to the socket itself. `nth` counts the requests from 0. */
  readonly answer?: (request: RawRequest, socket: Socket, nth: number) => string | Uint8Array | void;
  /** When the caller aborts. */
  readonly abort?: 'before' | 'waiting' | 'reading';
  /** Number of requests, sent one after the other. Default: 1 */
  readonly times?: number;
  /** The server closes each connection, and the next request waits until the client has closed it, too. */
  readonly closes?: boolean;
  /** Header fields that are compared although they differ for every request. */
  readonly allFields?: boolean;
  /** The reason phrase is compared even with undici 6, which does not report it. */
  readonly comparesReason?: boolean;
  /** The row of the table in docs/data-source-undici.md that describes the difference. */
  readonly differs?: string;
}

export interface RawRequest {
  /** The request line and header fields, as received. */
  readonly head: string;
  readonly body: string;
}

const text = JSON.stringify({ title: 'Emma', pages: Array.from({ length: 100 }, (_, at) => `page ${at}`) });

export function withLength(body: string | Uint8Array, fields = '', status = '200 OK'): Uint8Array {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}

function chunked(body: string | Uint8Array, fields = '', end = '0\r\n\r\n'): Uint8Array {
  const half = Math.ceil(body.length / 2);
  const chunks = [Buffer.from(body).subarray(0, half), Buffer.from(body).subarray(half)].filter((chunk) => chunk.length > 0);
  const framed = chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`, 'latin1'),
    ...framed,
    Buffer.from(end),
  ]);
}

const latin1 = (head: string): Uint8Array => Buffer.from(head, 'latin1');

interface Versions {
  readonly node: number;
  readonly undici: number;
}

/** The rows of the table "Differences from fetch" in docs/data-source-undici.md, with the versions to which they apply. */
export const rows: Readonly<Record<string, (versions: Versions) => boolean>> = {
  /** Compared by broken-off.test.ts. */
  'HTTP/2 over HTTPS': ({ node }) => node >= 26,
  'Added headers': always,
  'Conditional requests': always,
  'Case of header names': always,
  'A `host` header': always,
  'A URL that ends with `?`': ({ node }) => node > 22,
  'A stream as the body': always,
  'Ports that browsers block': always,
  'Status 407': always,
  'Status 421': always,
  'Tabs after a header value': always,
  'zstd on Node 22': ({ node }) => node === 22,
  'Reason phrases with undici 6': ({ undici }) => undici === 6,
  'Header values with undici 6': ({ undici }) => undici === 6,
  'Header names with undici 6': ({ undici }) => undici === 6,
};

function always(): boolean {
  return true;
}

const paths =
  `/ /a? /a?b=ü&c=%20 /%41 /ä /a#f /a?#f /a?b#f /a//b /a;b /a'b /a|b /a^b /a%zz //x /a?b[]=1 /a?x=y?z /{a} /a\\b /a/./b /a/../b /a/%2e%2e/b /a"b /a<b> /a?"<> /a,b /a@b /a:b /~a /a?%27'`.split(
    ' ',
  );
const urls: Kind[] = paths.map((path) => ({
  name: `the URL ${path}`,
  path,
  ...(/\?(?:#|$)/.test(path) && { differs: 'A URL that ends with `?`' }),
}));

const bodies: Readonly<Record<string, () => RequestInit>> = {
  'no body': () => ({}),
  'an empty text': () => ({ body: '' }),
  text: () => ({ body: 'Émile' }),
  JSON: () => ({ body: text, headers: { 'content-type': 'application/json' } }),
  bytes: () => ({ body: Buffer.from('bytes') }),
  'a large body': () => ({ body: 'x'.repeat(300_000) }),
  'URL parameters': () => ({ body: new URLSearchParams({ a: 'ü b' }) }),
  'a Blob': () => ({ body: new Blob(['blob'], { type: 'text/x' }) }),
  'a stream': () => ({ body: streamOf('stream'), duplex: 'half' }) as RequestInit,
  'a stream and its length': () => ({ body: streamOf('stream'), duplex: 'half', headers: { 'content-length': '6' } }) as RequestInit,
};
const methods: Kind[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
  Object.entries(bodies)
    .filter(([name]) => name === 'no body' || !['GET', 'HEAD'].includes(method))
    .map(([name, init]) => ({
      name: `${method} with ${name}`,
      init: () => ({ method, ...init() }),
      ...(name === 'a stream' && { differs: 'A stream as the body' }),
    })),
);

const fieldSets: Readonly<Record<string, Record<string, string>>> = {
  authorization: { authorization: 'Bearer x' },
  'a byte beyond ASCII': { 'x-key': 'é' },
  accept: { accept: 'text/*' },
  'accept-encoding': { 'accept-encoding': 'br' },
  'accept-language': { 'accept-language': 'de' },
  'user-agent': { 'user-agent': 'me' },
  cookie: { cookie: 'a=1; b=2' },
  host: { host: 'example.com' },
  range: { range: 'bytes=0-1' },
  'cache-control': { 'cache-control': 'max-age=1' },
  pragma: { pragma: 'x' },
  'connection: close': { connection: 'close' },
  'connection: keep-alive': { connection: 'keep-alive' },
  'connection: upgrade': { connection: 'upgrade' },
  'keep-alive': { 'keep-alive': 'timeout=1' },
  'transfer-encoding': { 'transfer-encoding': 'chunked' },
  expect: { expect: '100-continue' },
  te: { te: 'trailers' },
  trailer: { trailer: 'x' },
  upgrade: { upgrade: 'websocket' },
  'proxy-connection': { 'proxy-connection': 'x' },
  'content-length: 0': { 'content-length': '0' },
  constructor: { constructor: 'x' },
  __proto__: Object.fromEntries([['__proto__', 'x']]),
  'an empty value': { 'x-empty': '' },
  origin: { origin: 'http://a' },
  referer: { referer: 'http://a/' },
};
const fields: Kind[] = [
  ...Object.entries(fieldSets).map(([name, headers]): Kind => ({
    name: `the request field ${name}`,
    init: () => ({ headers }),
    ...(name === 'host' && { differs: 'A `host` header' }),
  })),
  { name: 'all header fields', allFields: true, differs: 'Added headers' },
  { name: 'the spelling of header fields', init: () => ({ headers: { 'X-Key': '1' } }), allFields: true, differs: 'Case of header names' },
  ...['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since', 'if-range'].map((name): Kind => ({
    name: `the request field ${name}`,
    init: () => ({ headers: { [name]: '"1"' } }),
    differs: 'Conditional requests',
  })),
];

const statusLines = [
  200, 201, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 403, 404, 407, 410, 421, 429, 500, 503, 599, 600,
  799, 999,
];
const statuses: Kind[] = statusLines.flatMap((status) =>
  ['GET', 'HEAD'].map((method) => ({
    name: `status ${status}, ${method}`,
    init: () => ({ method }),
    answer: () =>
      method === 'HEAD' || [204, 205, 304].includes(status)
        ? latin1(`HTTP/1.1 ${status} As It Likes\r\n\r\n`)
        : withLength(text, '', `${status} As It Likes`),
    ...(status === 407 && { differs: 'Status 407' }),
    ...(status === 421 && { differs: 'Status 421' }),
  })),
);

const gzipped = zlib.gzipSync(text);
const heads: Readonly<Record<string, NonNullable<Kind['answer']>>> = {
  'no reason phrase': () => withLength(text, '', '200'),
  'an empty reason phrase': () => withLength(text, '', '200 '),
  'a reason phrase beyond ASCII': () => withLength(text, '', '200 \xfcber'),
  'a reason phrase in UTF-8': () => Buffer.from('HTTP/1.1 401 \u2713 ok\r\nContent-Length: 2\r\n\r\nok'),
  'HTTP/1.0': () => 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.0, kept alive': () => 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/2.0': () => 'HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.2': () => 'HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'a status of two digits': () => 'HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok',
  'status 0': () => 'HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok',
  'fields twice': () => withLength(text, 'X-A: 1\r\nx-a: 2\r\nX-B: 3\r\n'),
  cookies: () => withLength(text, 'Set-Cookie: a=1\r\nset-cookie: b=2; Expires=Wed, 01 Jan 2031 00:00:00 GMT\r\n'),
  'a field beyond ASCII': () => withLength(text, 'X-A: \xe9\xff\r\n'),
  'a field in UTF-8': () => withLength(text, `X-A: ${Buffer.from('\u00fc\u2713').toString('latin1')}\r\n`),
  'a file name beyond ASCII': () => withLength(text, 'Content-Disposition: attachment; filename="\xe9"\r\n'),
  'an empty field': () => withLength(text, 'X-A:\r\nX-B: \r\n'),
  'spaces around a value': () => withLength(text, 'X-A:  \t a b \t \r\n'),
  'a folded field': () => withLength(text, 'X-A: 1\r\n 2\r\n'),
  'a field without a colon': () => withLength(text, 'bad header\r\n'),
  'a name of a field in brackets': () => withLength(text, '[x]: 1\r\n'),
  'names of Object': () => withLength(text, 'Constructor: 1\r\n__proto__: 2\r\ntoString: 3\r\n'),
  'a control character in a field': () => withLength(text, 'X-A: a\x01b\r\n'),
  'a tab in a field': () => withLength(text, 'X-A: a\tb\r\n'),
  'a long field': () => withLength(text, `X-A: ${'a'.repeat(10_000)}\r\n`),
  'a field that is too long': () => withLength(text, `X-A: ${'a'.repeat(100_000)}\r\n`),
  'many fields': () => withLength(text, Array.from({ length: 300 }, (_, at) => `X-${at}: ${at}\r\n`).join('')),
  'bare line feeds': () => 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
  'connection: close': () => withLength(text, 'Connection: close\r\n'),
  '100 Continue in front': () => `HTTP/1.1 100 Continue\r\n\r\n${latin1Text(withLength('ok'))}`,
  '102 in front': () => `HTTP/1.1 102 Processing\r\n\r\n${latin1Text(withLength('ok'))}`,
  '103 in front': () => `HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n${latin1Text(withLength('ok'))}`,
  '103 twice in front': () => `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${latin1Text(withLength('ok'))}`,
  '103 alone': (_, socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
  '101': () => 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
};
const headDifferences: Readonly<Record<string, string>> = {
  'spaces around a value': 'Tabs after a header value',
  'a field beyond ASCII': 'Header values with undici 6',
  'a file name beyond ASCII': 'Header values with undici 6',
  'names of Object': 'Header names with undici 6',
};
const framings: Readonly<Record<string, NonNullable<Kind['answer']>>> = {
  'a length': () => withLength(text),
  chunks: () => chunked(text),
  'chunks, in upper case': () => latin1Text(chunked(text)).replace('Transfer-Encoding: chunked', 'TRANSFER-ENCODING: CHUNKED'),
  'chunks with extensions': () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0;c\r\n\r\n',
  trailers: () => chunked(text, 'Trailer: X-Sum\r\n', '0\r\nX-Sum: 1\r\n\r\n'),
  'unannounced trailers': () => chunked(text, '', '0\r\nX-Sum: 1\r\nContent-Encoding: gzip\r\n\r\n'),
  'a trailer that is none': () => chunked(text, '', '0\r\nbad trailer\r\n\r\n'),
  'the end of the connection': (_, socket) => void socket.end(`HTTP/1.1 200 OK\r\n\r\n${text}`),
  'a length that is too long': (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
  'a length that is too short': () => 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc',
  'a length of 0': () => withLength(''),
  'a length of 0, and a body': () => 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nabc',
  'a length twice': () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
  'two lengths': () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!',
  'a length that is no number': () => 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nok',
  'a negative length': () => 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok',
  'a length and chunks': () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'an unknown transfer coding': (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nbx'),
  'chunks without an end': (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'),
  'a chunk that is cut off': (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok'),
  'a chunk size that is none': () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n0\r\n\r\n',
  'no chunk but the last': () => chunked(''),
  '204 and a body': () => 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok',
  '205 and a body': () => 'HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nok',
  '304 and a length': () => 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n',
  'another response behind it': () => `${latin1Text(withLength('ok'))}${latin1Text(withLength('no'))}`,
  'a large body': () => withLength('x'.repeat(2_000_000)),
  nothing: (_, socket) => void socket.end(),
  'no HTTP': (_, socket) => void socket.end('hello\r\n\r\n'),
  'a part of the head': (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nX-A: 1\r\n'),
  'a reset': (_, socket) => void socket.resetAndDestroy(),
  'a reset behind the head': (_, socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', () => setTimeout(() => socket.resetAndDestroy(), 10)),
  'a reset within the body': (_, socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => setTimeout(() => socket.resetAndDestroy(), 10)),
};
const responses: Kind[] = [
  {
    name: 'the reason phrase',
    answer: () => withLength(text, '', '200 As It Likes'),
    comparesReason: true,
    differs: 'Reason phrases with undici 6',
  },
  ...Object.entries(heads).map(([name, answer]): Kind => ({
    name: `a response with ${name}`,
    answer,
    ...(name in headDifferences && { differs: headDifferences[name]! }),
  })),
  ...Object.entries(framings).map(([name, answer]): Kind => ({ name: `a body framed by ${name}`, answer })),
  ...Object.entries(framings)
    .slice(0, 12)
    .map(([name, answer]): Kind => ({ name: `an answer to HEAD framed by ${name}`, init: () => ({ method: 'HEAD' }), answer })),
];

const codings: Readonly<Record<string, Uint8Array>> = {
  Deflate: zlib.deflateRawSync(text),
  gzip: gzipped,
  'x-gzip': gzipped,
  GZIP: gzipped,
  deflate: zlib.deflateSync(text),
  br: zlib.brotliCompressSync(text),
  zstd: 'zstdCompressSync' in zlib ? zlib.zstdCompressSync(text) : Buffer.from(text),
  'gzip, br': zlib.brotliCompressSync(gzipped),
  'br, gzip': zlib.gzipSync(zlib.brotliCompressSync(text)),
  'gzip, gzip': zlib.gzipSync(gzipped),
  'deflate,gzip': zlib.gzipSync(zlib.deflateSync(text)),
  'gzip, deflate': zlib.deflateRawSync(gzipped),
  'gzip, gzip, gzip, gzip, gzip': [1, 2, 3, 4].reduce((bytes) => zlib.gzipSync(bytes), gzipped),
  'gzip, gzip, gzip, gzip, gzip, gzip': [1, 2, 3, 4, 5].reduce((bytes) => zlib.gzipSync(bytes), gzipped),
  rot13: Buffer.from(text),
  'gzip, rot13': gzipped,
  identity: Buffer.from(text),
  'gzip, identity': gzipped,
  compress: Buffer.from(text),
  '': Buffer.from(text),
  ',gzip': gzipped,
};
const shapes: Readonly<Record<string, (bytes: Uint8Array, field: string) => string | Uint8Array | ((socket: Socket) => void)>> = {
  whole: (bytes, field) => withLength(bytes, field),
  'in chunks': (bytes, field) => chunked(bytes, field),
  'byte by byte': (bytes, field) => (socket) => {
    socket.write(latin1(`HTTP/1.1 200 OK\r\n${field}Content-Length: ${bytes.length}\r\n\r\n`));
    for (const byte of bytes.subarray(0, 20)) socket.write(Uint8Array.of(byte));
    socket.write(bytes.subarray(20));
  },
  truncated: (bytes, field) => withLength(bytes.subarray(0, Math.ceil(bytes.length / 2)), field),
  'with garbage behind it': (bytes, field) => withLength(Buffer.concat([bytes, Buffer.from('garbage')]), field),
  'of garbage': (_bytes, field) => withLength('garbage, and no more than that', field),
  empty: (_bytes, field) => withLength('', field),
  'cut off': (bytes, field) => (socket) =>
    void socket.end(
      Buffer.concat([latin1(`HTTP/1.1 200 OK\r\n${field}Content-Length: ${bytes.length}\r\n\r\n`), bytes.subarray(0, bytes.length - 9)]),
    ),
};
const encoded: Kind[] = Object.entries(codings).flatMap(([coding, bytes]) =>
  Object.entries(shapes)
    // Node's fetch ends the process with an uncaught error for these.
    .filter(([shape]) => shape !== 'cut off' || coding.split(',').length < 6)
    .map(([shape, toAnswer]) => ({
      name: `a body in "${coding}", ${shape}`,
      ...(coding === 'zstd' && shape !== 'empty' && shape !== 'cut off' && { differs: 'zstd on Node 22' }),
      answer: (_request: RawRequest, socket: Socket) => {
        const answer = toAnswer(bytes, `Content-Encoding: ${coding}\r\n`);
        return typeof answer === 'function' ? answer(socket) : answer;
      },
    })),
);

const locations = [
  'b',
  '/b',
  '?b',
  '#b',
  'b?c',
  'b#d',
  '',
  '/ü',
  '/ä?ö',
  '/%C3%BC',
  '/a b',
  '/b\tc',
  '//[',
  'http://[',
  'ftp://x/',
  'data:text/plain,x',
  'mailto:a',
  'http://user:word@HOST/b',
  'http://HOST/b',
  'HTTP://HOST/b',
  '\\b',
  '../b',
  '/b%zz',
];
const redirectTo =
  (status: number, location: string): NonNullable<Kind['answer']> =>
  ({ head }, socket, nth) =>
    nth === 0
      ? Buffer.from(
          `HTTP/1.1 ${status} Moved\r\nLocation: ${location.replace('HOST', `127.0.0.1:${socket.localPort}`)}\r\nContent-Length: 5\r\n\r\nmoved`,
        )
      : withLength(head.split('\r\n')[0]!);
const redirects: Kind[] = [
  ...locations.map((location): Kind => ({ name: `a redirect to "${location}"`, answer: redirectTo(302, location) })),
  ...['/\xfc', '/\xff\xfe'].map((location): Kind => ({
    name: `a redirect to ${JSON.stringify(location)} in Latin-1`,
    answer: ({ head }, _socket, nth) =>
      nth === 0 ? latin1(`HTTP/1.1 302 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`) : withLength(head.split('\r\n')[0]!),
  })),
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].flatMap((method) =>
      (['follow', 'manual', 'error'] as const).map((redirect): Kind => ({
        name: `${method} redirected by ${status}, ${redirect}`,
        init: () => ({
          method,
          redirect,
          ...(method === 'POST' || method === 'PUT'
            ? { body: 'Émile', headers: { 'content-type': 'text/x', 'content-language': 'de' } }
            : {}),
        }),
        answer: ({ head }, _socket, nth) =>
          nth === 0
            ? `HTTP/1.1 ${status} Moved\r\nLocation: /b\r\nContent-Length: ${method === 'HEAD' ? 0 : 5}\r\n\r\n${method === 'HEAD' ? '' : 'moved'}`
            : head.startsWith('HEAD')
              ? 'HTTP/1.1 200 OK\r\n\r\n'
              : withLength(head.split('\r\n')[0]!),
      })),
    ),
  ),
  ...[301, 303, 307].map((status): Kind => ({ name: `no Location, ${status}`, answer: () => withLength('x', '', `${status} Moved`) })),
  ...[20, 21].map((count): Kind => ({
    name: `${count} redirects`,
    answer: (_request, _socket, nth) =>
      nth < count ? `HTTP/1.1 302 Moved\r\nLocation: /${nth}\r\nContent-Length: 0\r\n\r\n` : withLength('there'),
  })),
  {
    name: 'a redirect to where it comes from',
    answer: (_request, _socket, nth) =>
      nth === 0 ? 'HTTP/1.1 302 Moved\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n' : withLength('there'),
  },
  {
    name: 'a redirect that is encoded',
    answer: (_request, _socket, nth) =>
      nth === 0 ? withLength('no gzip', 'Location: /b\r\nContent-Encoding: gzip\r\n', '302 Moved') : withLength('there'),
  },
  {
    name: 'a stream that is redirected',
    init: () => ({ method: 'POST', body: streamOf('x'), duplex: 'half', headers: { 'content-length': '1' } }) as RequestInit,
    answer: redirectTo(307, '/b'),
  },
];

const endings: Kind[] = [
  { name: 'a call that is given up before it is sent', abort: 'before' },
  { name: 'a call that is given up before there is an answer', abort: 'waiting', answer: () => {} },
  {
    name: 'a call that is given up while its body comes',
    abort: 'reading',
    answer: () => 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc',
  },
  {
    name: 'a call that is given up while its encoded body comes',
    abort: 'reading',
    answer: () =>
      Buffer.concat([
        latin1(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${gzipped.length}\r\n\r\n`),
        gzipped.subarray(0, 40),
      ]),
  },
  { name: 'two calls over one connection', times: 2, answer: () => withLength(text) },
  {
    name: 'a connection that ends between two calls',
    times: 2,
    closes: true,
    answer: (_request, socket) => void socket.write(withLength(text), () => socket.end()),
  },
  {
    name: 'a connection that ends with the second request',
    times: 2,
    answer: (_request, socket, nth) => (nth === 1 ? void socket.end() : withLength(text)),
  },
  {
    name: 'a connection that is reset by the second request',
    times: 2,
    answer: (_request, socket, nth) => (nth === 1 ? void socket.resetAndDestroy() : withLength(text)),
  },
  {
    name: 'a POST whose connection ends with it',
    times: 2,
    init: () => ({ method: 'POST', body: 'x' }),
    answer: (_request, socket, nth) => (nth === 1 ? void socket.end() : withLength(text)),
  },
  { name: 'a kept connection with a timeout of a second', times: 2, answer: () => withLength(text, 'Keep-Alive: timeout=1\r\n') },
];

const elsewhere: Kind[] = [
  { name: 'a port where nothing listens', path: 'http://127.0.0.1:1999/' },
  { name: 'a host that does not exist', path: 'http://nowhere.invalid/' },
  { name: 'port 25', path: 'http://127.0.0.1:25/', differs: 'Ports that browsers block' },
];

export const kinds: readonly Kind[] = [
  ...urls,
  ...methods,
  ...fields,
  ...statuses,
  ...responses,
  ...encoded,
  ...redirects,
  ...endings,
  ...elsewhere,
];

function streamOf(content: string): ReadableStream {
  return new Blob([content]).stream();
}

function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
