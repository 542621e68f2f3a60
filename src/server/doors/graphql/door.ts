/** The way in for GraphQL over HTTP. */
import { HeaderMap, answerSizeOf } from '../../../shared/index.ts';
import type { HTTPResponse, PromiseOrValue } from '../../../shared/index.ts';
import type { ArrivedCall } from '../../call.ts';
import { acceptedTypes, methods, notAcceptable, openedInBrowser, webSocketNotSupported } from '../errors.ts';
import { decodeUTF8, readText, readValue, parseJSON } from '../body.ts';
import { operationParameters, readBatch, readParameters, readQueryString } from './params.ts';
import { negotiate } from './response.ts';
import { toBatchResponse } from './batch.ts';
import { uncacheable } from '../response-head.ts';
import type { Negotiation } from './response.ts';
import type { Asked, AskedBatch, Door } from '../../operation/door.ts';
import type { OwnRules } from '../rules.ts';
import { names } from '../accept.ts';
import type { Delivery } from '../../operation/operation.ts';
import type { OperationOutcome } from '../../operation/types.ts';

interface AskedOfGraphQL extends Asked<ArrivedCall> {
  readonly delivery: Delivery | undefined;
}

const rulesOfGraphQL: OwnRules = Object.freeze({
  methods,
  takes: ['application/json'],
  announced: acceptedTypes,
  hasForgeryTable: true,
});

/** The door for GraphQL. `read` negotiates, because `Accept` also chooses how an operation is delivered. */
export const graphqlDoor: Omit<Door<ArrivedCall>, 'refuse'> = {
  name: 'graphql',
  parameters: operationParameters,
  rules: (call) => (call.request.method === 'GET' ? rulesOfGET(call) : rulesOfGraphQL),
  read(call) {
    const { settings, request } = call;
    const negotiation = negotiate(call);
    const { delivery, write } = negotiation;
    if (request.method === 'GET') return { request: readQueryString(settings, request.queryString), delivery, write };
    const { body } = request;
    const { maxBodyBytes } = settings;
    // One promise less than by `readText`, which takes 2 % of a small request.
    if (body.kind === 'stream')
      return body.read(maxBodyBytes).then((bytes) => readBody(call, negotiation, decodeUTF8(bytes, maxBodyBytes)));
    return readBody(call, negotiation, readText(body, maxBodyBytes) as string);
  },
};

function readBody(
  { settings, request: { body } }: ArrivedCall,
  { mediaType, delivery, write }: Negotiation,
  text: string,
): AskedOfGraphQL | AskedBatch<ArrivedCall> {
  const { maxBodyBytes, development } = settings;
  const json = body.kind === 'value' ? readValue(body, maxBodyBytes) : parseJSON(text, maxBodyBytes, development);
  if (!Array.isArray(json)) return { request: readParameters(settings, json), delivery, write };
  const requests = readBatch(settings, json);
  // A batch has one answer, an array.
  if (mediaType === undefined) throw notAcceptable();
  return { requests, writeAll };
}

function writeAll(outcomes: readonly OperationOutcome[], { settings, adapter, encode }: ArrivedCall): HTTPResponse {
  return toBatchResponse({ errors: settings.operation, size: answerSizeOf(adapter, settings.maxResultBytes, encode) }, outcomes);
}

/**
 * The playground for a browser in development. Without it, a browser that opens the address gets an explanation in JSON, which is thrown.
 */
function rulesOfGET(call: ArrivedCall): PromiseOrValue<OwnRules | HTTPResponse> {
  const { settings, request } = call;
  if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') throw webSocketNotSupported();
  // A browser's navigation names the type; clients of an API send a wildcard at most.
  if (!names(request, 'text/html')) return rulesOfGraphQL;
  if (settings.renderLandingPage !== undefined) return renderPage(settings.renderLandingPage);
  if (request.queryString !== '') return rulesOfGraphQL;
  negotiate(call);
  throw openedInBrowser(settings.operation.trustedDocuments?.only === true);
}

async function renderPage(render: NonNullable<ArrivedCall['settings']['renderLandingPage']>): Promise<OwnRules | HTTPResponse> {
  const page = await render();
  if (page === undefined) return rulesOfGraphQL;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', uncacheable);
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}
