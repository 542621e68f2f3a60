import { whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import type { OperationOutcome } from '../operation/types.ts';
import { negotiateMediaType } from './accept.ts';
import { preventCSRF } from './csrf.ts';
import { acceptedTypes, methods } from './errors.ts';
import type { ParsedRequest } from './known-bodies.ts';
import { parseGraphQLRequest } from './params.ts';
import { toHTTPResponse } from './response.ts';
import type { HTTPCall, HTTPSettings, IncomingRequest, LandingSettings } from './http-call.ts';
import { runBatch, runSingle } from './run-operations.ts';

/** `HTTPRequest` → `HTTPResponse`. Throws for a request that is refused: refusals.ts makes its answer. */
export function handleHTTPRequest(settings: HTTPSettings, incoming: IncomingRequest): Eventual<HTTPResponse | StreamedResponse> {
  if (incoming.request.method === 'OPTIONS') return optionsResponse(settings);
  return settings.renderLandingPage === undefined ? serveGraphQL(settings, incoming) : servePage(settings, incoming);
}

async function servePage(settings: HTTPSettings, incoming: IncomingRequest): Promise<HTTPResponse | StreamedResponse> {
  return (await landingPageFor(settings, incoming.request)) ?? serveGraphQL(settings, incoming);
}

function serveGraphQL(settings: HTTPSettings, incoming: IncomingRequest): Eventual<HTTPResponse | StreamedResponse> {
  const { request, invocation, streaming, call } = incoming;
  preventCSRF(settings, request);
  const accept = request.headers.get('accept');
  const negotiation = streaming?.negotiate(accept, settings.multipart);
  const mediaType = negotiation === undefined ? negotiateMediaType(accept) : negotiation.mediaType;
  const parsed = parseGraphQLRequest(settings, request);
  const httpCall: HTTPCall = {
    request: call === undefined ? request : call.request,
    invocation,
    streaming,
    call,
    settings,
    platform: call === undefined ? invocation : call.invocation,
    negotiation,
    mediaType,
  };
  return parsed instanceof Promise ? whenReady(parsed, runParsed, httpCall) : runParsed(parsed, httpCall);
}

function runParsed(parsed: ParsedRequest, httpCall: HTTPCall): Eventual<HTTPResponse | StreamedResponse> {
  if (parsed.kind === 'batch') return runBatch(parsed.elements, httpCall);
  const outcome = runSingle(parsed.request, httpCall);
  return outcome instanceof Promise ? whenReady(outcome, respond, httpCall) : respond(outcome, httpCall);
}

function respond(outcome: OperationOutcome, httpCall: HTTPCall): HTTPResponse | StreamedResponse {
  const { settings, invocation, negotiation, mediaType = 'application/json' } = httpCall;
  return negotiation === undefined ? toHTTPResponse(settings, outcome, mediaType) : negotiation.toResponse(settings, outcome, invocation);
}

function optionsResponse(settings: HTTPSettings): HTTPResponse {
  const headers = new HeaderMap({ allow: [...methods, 'OPTIONS'].join(', '), ...acceptedTypes });
  return { status: settings.cors?.optionsSuccessStatus ?? 204, headers, body: null };
}

/** Browser, in development? → the playground. Undefined: the request is an operation, or none. */
async function landingPageFor(settings: LandingSettings, request: HTTPRequest): Promise<HTTPResponse | undefined> {
  if (settings.renderLandingPage === undefined || request.method !== 'GET' || !wantsHTML(request)) return undefined;
  const page = await settings.renderLandingPage();
  if (page === undefined) return undefined;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', 'no-store');
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API do not, and a wildcard does not ask for a page. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}
