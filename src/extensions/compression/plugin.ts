import type { RequestCall, ServerPlugin } from '../../server/index.ts';
import { assertKnownOptions, addVary, HeaderMap, isRecord } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';
import { chooseCoding } from './accept-encoding.ts';
import { compress } from './compress.ts';
import type { Coding } from './accept-encoding.ts';

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

const known: Readonly<Record<keyof CompressionOptions, true>> = { restAPI: true, withCookies: true };

/**
 * Compresses answers of 64 KiB and more with Brotli or gzip, for clients that accept it, where nothing in front of the function does:
 * Lambda function URLs, API Gateway and Application Load Balancers. The limit of the platform applies to the compressed answer.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [compression()] });
 */
export function compression(options: CompressionOptions = {}): ServerPlugin {
  assertKnownOptions(options, known, { of: 'compression' });
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
  // Set again, for an answer that another plugin returned without a call of `next`.
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
