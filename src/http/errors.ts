import type { GraphQLError } from 'graphql';

import { createError } from '../operation/errors.ts';

/**
 * Refusals of an HTTP request. The status travels in `extensions.http`, which no client sees. No message repeats the
 * value of a header: it may be a secret, or as long as a header can be, and errors reach logs and monitors.
 */
function refusal(status: number, message: string, headers?: Readonly<Record<string, string>>): GraphQLError {
  return createError('BAD_REQUEST', message, { extensions: { http: { status, ...(headers ? { headers } : {}) } } });
}

/** The methods that carry operations. */
export const methods: readonly string[] = ['GET', 'POST', 'QUERY'];

/** Announces the media type that QUERY takes (RFC 10008 section 3), and POST (Linked Data Platform, section 7.1). */
export const acceptedTypes: Readonly<Record<string, string>> = { 'accept-query': 'application/json', 'accept-post': 'application/json' };

/** 400: the request cannot be read at all, or is refused as a whole. */
export function badRequest(message: string): GraphQLError {
  return createError('BAD_REQUEST', message);
}

/** 400, or 422 in the draft profile: JSON it is, but not an operation request. */
export function malformedRequest(message: string): GraphQLError {
  return createError('BAD_REQUEST', message, { extensions: { http: { status: 400, draftStatus: 422 } } });
}

export function methodNotAllowed(method: string): GraphQLError {
  return refusal(405, `Expected GET, POST or QUERY, got ${method}.`, { allow: methods.join(', '), ...acceptedTypes });
}

/** A safe request may be repeated by anybody, and a GET be sent by any link: it must not change anything (RFC 9110 section 9.2.1). */
export function onlyQueriesBy(method: string, operation: string): GraphQLError {
  return refusal(405, `Expected a query: a ${method} request cannot run a ${operation}. Send it as POST.`, { allow: 'POST' });
}

export function notAcceptable(): GraphQLError {
  return refusal(
    406,
    `Expected Accept to allow application/graphql-response+json or application/json, or for a single POST text/event-stream, ${whereStreamsAre}`,
  );
}

export function subscriptionNotPossible(): GraphQLError {
  return createError(
    'OPERATION_RESOLUTION_FAILURE',
    'Expected a query or a mutation: a subscription needs a stream, asked for by POST with "accept: text/event-stream", ' +
      `not in a batch, ${whereStreamsAre}`,
  );
}

const whereStreamsAre = 'where the platform carries it: a web Request, Node, createStreamingHandler on AWS.';

export function bodyTooLarge(limit: number): GraphQLError {
  return refusal(413, `Expected a body of at most ${limit} bytes, got more.`);
}

export function queryStringTooLong(limit: number, length: number): GraphQLError {
  return refusal(414, `Expected a query string of at most ${limit} characters, got ${length}.`);
}

export function unsupportedMediaType(message: string): GraphQLError {
  return refusal(415, message, acceptedTypes);
}

/** Says which content coding would have been taken: none (RFC 9110 section 15.5.16). */
export function unsupportedEncoding(): GraphQLError {
  return refusal(415, 'Expected a body without content-encoding, got one.', { 'accept-encoding': 'identity' });
}

export function preflightMissing(headerNames: readonly string[]): GraphQLError {
  return createError(
    'BAD_REQUEST',
    'This request was refused because a web page of another site could have sent it without asking (cross-site request forgery). ' +
      `Send "content-type: application/json", or one of these headers with a value that is not empty: ${headerNames.join(', ')}.`,
  );
}
