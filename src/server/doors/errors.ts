import type { GraphQLError } from 'graphql';

import { createError } from '../operation/errors.ts';

/**
 * The error that refuses an HTTP request. The status is in `extensions.http`, which is not sent to clients. No message repeats the value
 * of a header, which may be long or a secret, because errors reach logs and monitors.
 */
function refusal(status: number, message: string, headers?: Readonly<Record<string, string>>): GraphQLError {
  return createError('BAD_REQUEST', message, { extensions: { http: { status, ...(headers ? { headers } : {}) } } });
}

/** The methods for operations. */
export const methods: readonly string[] = ['GET', 'POST', 'QUERY'];

/** Announces the media type that QUERY takes (RFC 10008 section 3), and POST (Linked Data Platform, section 7.1). */
export const acceptedTypes: Readonly<Record<string, string>> = { 'accept-query': 'application/json', 'accept-post': 'application/json' };

/** 400: the request cannot be read, or is refused as a whole. */
export function badRequest(message: string): GraphQLError {
  return createError('BAD_REQUEST', message);
}

/** The error for a browser that opens the address: its request has no query. */
export function openedInBrowser(onlyTrusted: boolean): GraphQLError {
  const [which, body] = onlyTrusted ? [' that takes only its trusted documents', '"documentId":"…"'] : ['', '"query":"{ __typename }"'];
  return malformedRequest(
    `This is a GraphQL endpoint${which}: send it a POST with "content-type: application/json" and a body such as {${body}}.`,
  );
}

/** 422, and 400 in the classic profile: valid JSON, but not a well-formed request (GraphQL over HTTP, "Status Codes"). */
export function malformedRequest(message: string): GraphQLError {
  return createError('BAD_REQUEST', message, { extensions: { http: { status: 422, classicStatus: 400 } } });
}

type Fields = Readonly<Record<string, string>>;

export function methodNotAllowed(method: string, allowed: readonly string[], announced: Fields = {}): GraphQLError {
  return refusal(405, `Expected ${oneOf(allowed)}, got ${method}.`, { allow: allowed.join(', '), ...announced });
}

function oneOf(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((text) => text !== '').join(' or ');
}

/** Safe requests must not change anything: proxies may repeat them, and any link sends a GET (RFC 9110 section 9.2.1). */
export function onlyQueriesBy(method: string, operation: string): GraphQLError {
  return refusal(405, `Expected a query: a ${method} request cannot run a ${operation}. Send it as POST.`, { allow: 'POST' });
}

/** 426 without the header field Upgrade: the connection belongs to the gateway, and there is nothing to upgrade to. */
export function webSocketNotSupported(): GraphQLError {
  return refusal(
    426,
    `Expected an HTTP request, got a WebSocket handshake. Subscribe by server-sent events: a POST with "accept: text/event-stream", ${whereStreamsWork}`,
  );
}

/** `given`: the media types of another door. */
export function notAcceptable(given?: readonly string[]): GraphQLError {
  const types = `application/graphql-response+json or application/json, or for a single POST text/event-stream, ${whereStreamsWork}`;
  return refusal(406, `Expected Accept to allow ${given === undefined ? types : `${oneOf(given)}.`}`);
}

export function subscriptionNotPossible(): GraphQLError {
  return createError(
    'OPERATION_RESOLUTION_FAILURE',
    'Expected a query or a mutation: a subscription needs a POST with "accept: text/event-stream", ' +
      `not in a batch, ${whereStreamsWork}`,
  );
}

const whereStreamsWork = 'on a platform that streams: a web Request, Node, createStreamingHandler on AWS.';

export function bodyTooLarge(limit: number): GraphQLError {
  return refusal(413, `Expected a body of at most ${limit} bytes, got more.`);
}

export function queryStringTooLong(limit: number, length: number): GraphQLError {
  return refusal(414, `Expected a query string of at most ${limit} characters, got ${length}.`);
}

export function unsupportedMediaType(taken: readonly string[], essence: string | undefined, announced?: Fields): GraphQLError {
  return refusal(415, `Expected content-type ${oneOf(taken)}, got ${essence?.slice(0, 80) ?? 'none that is valid'}.`, announced);
}

export function unsupportedCharset(charset: string, announced?: Fields): GraphQLError {
  return refusal(415, `Expected charset utf-8, got ${charset.slice(0, 20)}.`, announced);
}

/** Names the only supported content coding, none (RFC 9110 section 15.5.16). */
export function unsupportedEncoding(): GraphQLError {
  return refusal(415, 'Expected a body without content-encoding, got one.', { 'accept-encoding': 'identity' });
}

export function preflightMissing(headerNames: readonly string[]): GraphQLError {
  return createError(
    'BAD_REQUEST',
    'This request was refused because a page of another site could have sent it without a preflight (cross-site request forgery). ' +
      `Send "content-type: application/json", or one of these headers with a value that is not empty: ${headerNames.join(', ')}.`,
  );
}
