/** The steps of an HTTP request. A step that sets the response is the last one. */
import { HeaderMap } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { negotiateMediaType as chooseMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { uncacheable } from './cache-control.ts';
import { assertNotForged } from './csrf.ts';
import { acceptedTypes, methods, openedInBrowser } from './errors.ts';
import type { HTTPCall } from './http-call.ts';
import { answerSizeOf } from './operations.ts';
import { parseGraphQLRequest } from './params.ts';
import type { ParsedRequest } from './params.ts';
import type { Negotiation } from './streams/streaming.ts';
import { toBatchResponse, toSingleResponse } from './response.ts';

/** OPTIONS. The CORS fields of a preflight are added in `departure`. */
export function answerOptions({ request }: HTTPCall): HTTPResponse | undefined {
  if (request.method !== 'OPTIONS') return undefined;
  const headers = new HeaderMap({ allow: [...methods, 'OPTIONS'].join(', '), ...acceptedTypes });
  return { status: 204, headers, body: null };
}

/** Shows the playground to a browser in development. Without it, a browser that opens the address gets an explanation in JSON. */
export function showLandingPage(call: HTTPCall): PromiseOrValue<HTTPResponse | undefined> {
  const { settings, request } = call;
  if (request.method !== 'GET' || !wantsHTML(request)) return undefined;
  if (settings.renderLandingPage !== undefined) return renderPage(settings.renderLandingPage);
  if (request.queryString !== '') return undefined;
  negotiateMediaType(call);
  throw openedInBrowser();
}

async function renderPage(render: NonNullable<HTTPCall['settings']['renderLandingPage']>): Promise<HTTPResponse | undefined> {
  const page = await render();
  if (page === undefined) return undefined;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', uncacheable);
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API send a wildcard at most. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}

/** Throws the refusal. */
export function preventCSRF({ settings, request }: HTTPCall): undefined {
  assertNotForged(settings, request);
}

/** Platforms that can stream have more forms of answers. */
export function negotiateMediaType({ settings, request, streaming }: HTTPCall): Negotiation {
  const accept = request.headers.get('accept');
  return streaming === undefined ? wholeAnswers[chooseMediaType(accept)] : streaming.negotiate(accept, settings.multipart);
}

const wholeAnswers: Readonly<Record<ResponseMediaType, Negotiation>> = {
  'application/json': wholeAnswer('application/json'),
  'application/graphql-response+json': wholeAnswer('application/graphql-response+json'),
};

function wholeAnswer(mediaType: ResponseMediaType): Negotiation {
  return { mediaType, delivery: undefined, toResponse: (settings, outcome) => toSingleResponse(settings, outcome, mediaType) };
}

export function parseRequest({ settings, request }: HTTPCall): PromiseOrValue<ParsedRequest> {
  return parseGraphQLRequest(settings, request);
}

export function toHTTPResponse(call: HTTPCall): HTTPResponse | StreamedResponse {
  const { settings, invocation, negotiation, outcome } = call;
  const { mediaType = 'application/json' } = negotiation!;
  if ('length' in outcome!) return toBatchResponse({ errors: settings.operation, size: answerSizeOf(call) }, outcome, mediaType);
  return negotiation!.toResponse(settings, outcome!, invocation.clock);
}
