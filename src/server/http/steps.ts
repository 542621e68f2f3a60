/** The steps of an HTTP request. A step that sets the response is the last one. */
import { HeaderMap, whenReady } from '../../shared/index.ts';
import type { Eventual, HTTPRequest } from '../../shared/index.ts';
import { negotiateMediaType as chooseMediaType } from './accept.ts';
import { uncacheable } from './cache-control.ts';
import { assertNotForged } from './csrf.ts';
import { acceptedTypes, methods } from './errors.ts';
import type { HTTPCall } from './http-call.ts';
import { sizeOf } from './operations.ts';
import { parseGraphQLRequest } from './params.ts';
import type { ParsedRequest } from './params.ts';
import { toBatchResponse, toSingleResponse } from './response.ts';

export function isAnswered({ response }: Pick<HTTPCall, 'response'>): boolean {
  return response !== undefined;
}

/** OPTIONS. The CORS fields of a preflight are added in `departure`. */
export function answerOptions(call: HTTPCall): void {
  if (call.request.method !== 'OPTIONS') return;
  const headers = new HeaderMap({ allow: [...methods, 'OPTIONS'].join(', '), ...acceptedTypes });
  call.response = { status: call.settings.cors?.optionsSuccessStatus ?? 204, headers, body: null };
}

/** Shows the playground to a browser in development. */
export function showLandingPage(call: HTTPCall): Eventual<void> {
  const { settings, request } = call;
  if (settings.renderLandingPage === undefined || request.method !== 'GET' || !wantsHTML(request)) return undefined;
  return renderPage(call, settings.renderLandingPage);
}

async function renderPage(call: HTTPCall, render: NonNullable<HTTPCall['settings']['renderLandingPage']>): Promise<void> {
  const page = await render();
  if (page === undefined) return;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', uncacheable);
  call.response = { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API send a wildcard at most. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}

export function preventCSRF({ settings, request }: HTTPCall): void {
  assertNotForged(settings, request);
}

/** Platforms that can stream have more forms of answers. */
export function negotiateMediaType(call: HTTPCall): void {
  const accept = call.request.headers.get('accept');
  call.negotiation = call.streaming?.negotiate(accept, call.settings.multipart);
  call.mediaType = call.negotiation === undefined ? chooseMediaType(accept) : call.negotiation.mediaType;
}

export function parseRequest(call: HTTPCall): Eventual<void> {
  return whenReady(parseGraphQLRequest(call.settings, call.request), setParsed, call);
}

function setParsed(parsed: ParsedRequest, call: HTTPCall): void {
  call.parsed = parsed;
}

export function setOutcome(outcome: NonNullable<HTTPCall['outcome']>, call: HTTPCall): void {
  call.outcome = outcome;
}

export function toHTTPResponse(call: HTTPCall): void {
  const { settings, invocation, negotiation, mediaType = 'application/json' } = call;
  const outcome = call.outcome!;
  if ('length' in outcome) call.response = toBatchResponse({ errors: settings.operation, size: sizeOf(call) }, outcome, mediaType);
  else if (negotiation === undefined) call.response = toSingleResponse(settings, outcome, mediaType);
  else call.response = negotiation.toResponse(settings, outcome, invocation.clock);
}
