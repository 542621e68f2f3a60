import type { RequestCall, ServerPlugin } from '../../server/index.ts';
import { addVary, assertEntries, boolean, HeaderMap, isRecord } from '../../shared/index.ts';
import type { Expectation, HTTPResponse } from '../../shared/index.ts';

/** Options of {@link compression}. */
export interface CompressionOptions {
  /**
   * True: also compresses behind a REST API of API Gateway, whose `binaryMediaTypes` must then have the entry for all types. Without it,
   * the gateway sends base64 to clients. HTTP APIs need no such setting. Default: false
   */
  readonly restAPI?: boolean | undefined;
  /**
   * True: also compresses answers to requests with cookies. Another site that can make a browser send requests, and can see how long the
   * encrypted answers are, may guess secrets in them (BREACH). Set it only together with `csrfPrevention: true`. Default: false
   */
  readonly withCookies?: boolean | undefined;
}

/** The minimum length to compress, in UTF-16 units, of which a text has at most as many as bytes. Smaller bodies are not worth the time. */
const minLength = 65_536;

const expectations: Readonly<Record<keyof CompressionOptions, Expectation>> = { restAPI: boolean, withCookies: boolean };

/**
 * Compresses answers of 64 KiB and more with Brotli or gzip, for clients that accept it, where nothing in front of the function does:
 * Lambda function URLs, API Gateway and Application Load Balancers. The limit of the platform applies to the compressed answer.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [compression()] });
 */
export function compression(options: CompressionOptions = {}): ServerPlugin {
  assertEntries('', options, expectations, 'compression');
  const { restAPI = false, withCookies = false } = options;
  const isCompressible = (call: RequestCall): boolean => restAPI || !isFromRestAPI(call);
  return {
    encode(call) {
      const { headers } = call.request;
      if (!isCompressible(call) || (headers.has('cookie') && !withCookies)) return undefined;
      const coding = chooseCoding(headers.get('accept-encoding'));
      return coding && (async (response) => encode(response, coding));
    },
    // Vary is also set for clients that accept no coding, to whom a cache must not send the compressed answer. The event is not read here: that
    // would make the answer private for `edge`.
    async request({ platform }, next) {
      const response = await next();
      const { headers, body } = response;
      if (typeof body === 'string' && body.length >= minLength && gateways.test(platform)) addCodingToVary(headers);
      return response;
    },
  };
}

function addCodingToVary(headers: HeaderMap): void {
  if (!/\baccept-encoding\b/i.test(headers.get('vary') ?? '')) addVary(headers, 'Accept-Encoding');
}

/** The platforms for which `encode` is called. */
const gateways = /^(?:Lambda function URL|API Gateway|Application Load Balancer)/;

/** True for a REST API. An HTTP API sends the version of the payload, and a load balancer its name. */
function isFromRestAPI({ invocation: { event } }: RequestCall): boolean {
  if (!isRecord(event) || !('httpMethod' in event) || 'version' in event) return false;
  return !isRecord(event['requestContext']) || !('elb' in event['requestContext']);
}

async function encode(response: HTTPResponse, coding: Coding): Promise<HTTPResponse> {
  const { headers, body } = response;
  if (body === null || body.length < minLength || !mayEncode(headers)) return response;
  const encoded = await compress(body, coding);
  if (encoded === undefined || encoded.length >= body.length) return response;
  const sent = HeaderMap.copyOf(headers);
  sent.set('content-encoding', coding);
  sent.delete('content-length');
  // Adds the field again, for an answer that another plugin returned without calling `next`.
  addCodingToVary(sent);
  // A strong ETag would differ for each coding (RFC 9110 section 8.8.1).
  const etag = sent.get('etag');
  if (etag !== null && !etag.startsWith('W/')) sent.set('etag', `W/${etag}`);
  return { ...response, headers: sent, body: encoded, isBase64Encoded: true };
}

/** Answers with cookies are meant for one user and may contain secrets, and `no-transform` forbids another coding. */
function mayEncode(headers: HeaderMap): boolean {
  if (headers.has('content-encoding') || headers.has('set-cookie') || headers.has('content-range')) return false;
  return !/\bno-transform\b/i.test(headers.get('cache-control') ?? '');
}

/** A content coding of RFC 9110 section 8.4.1, or `br` of RFC 7932. */
type Coding = 'br' | 'gzip';

/** Elements of an Accept-Encoding value that are read. Browsers send four. */
const maxElements = 20;

/**
 * Returns the coding that the client prefers (RFC 9110 section 12.5.3), Brotli if it likes both equally. Returns undefined if the client
 * accepts neither, or prefers the answer without a coding. A client without the field may accept every coding, but most such clients decode
 * none.
 */
export function chooseCoding(acceptEncoding: string | null): Coding | undefined {
  if (acceptEncoding === null) return undefined;
  const weights = new Map(acceptEncoding.toLowerCase().split(',', maxElements).map(parseElement));
  const others = weights.get('*') ?? 0;
  const br = weights.get('br') ?? others;
  // RFC 9110 section 8.4.1.3: x-gzip is gzip.
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others;
  const best = Math.max(br, gzip);
  if (best === 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return br === best ? 'br' : 'gzip';
}

function parseElement(element: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  // RFC 9110 section 12.4.2. A malformed weight is a refusal: the answer as it is suits everyone.
  return [coding, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

/** Brotli's default of 11 is for files that are compressed once. 4 takes about as long as gzip, and the result is smaller. */
const brotliQuality = 4;

/** The compressed text in base64. Undefined without Node's zlib. Works in Node's thread pool. */
async function compress(text: string, coding: Coding): Promise<string | undefined> {
  // An import would make bundlers for the web fail.
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib');
  if (zlib === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Buffer): void => {
      if (error === null) resolve(result.toString('base64'));
      else reject(error);
    };
    if (coding === 'gzip') zlib.gzip(text, done);
    else zlib.brotliCompress(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: brotliQuality } }, done);
  });
}
