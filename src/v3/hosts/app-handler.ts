import type { IncomingMessage, ServerResponse } from 'node:http';

import { clientAddress, createUnobservedHandler, lambdaAdapters, netlifyV1, nodeHTTP, ping } from '../../server/for-v3.ts';
import type { NodeExchange, PlatformAdapter, UnknownEvent, UntypedHandler } from '../../server/for-v3.ts';
import type { HTTPRequest, HTTPResponse, Invocation } from '../../shared/index.ts';
import type { ExpressRequest, ExpressResponse } from '../http/express.ts';
import { serveRequest } from '../http/serve.ts';
import type { Serving } from '../http/serve.ts';
import type { HandlerSettings } from '../server/serving.ts';
import { toServerOptions } from '../server/serving.ts';
import { callApp, assertApp, takes } from './express-app.ts';
import type { NodeApp } from './express-app.ts';

type Middleware = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** The option `expressAppFromMiddleware`: the user's app, with the middleware that answers GraphQL. */
export type MakeApp = (middleware: Middleware) => unknown;

/**
 * The handler of a Lambda function that is an Express app. App and Express belong to the project; this package passes requests
 * to it. The app is created with the first request, as in version 3, when the module has been evaluated.
 */
export function createAppHandler(makeApp: MakeApp, settings: HandlerSettings, serving: Serving): UntypedHandler {
  const calls = new WeakMap<IncomingMessage, Invocation>();
  let app: NodeApp | undefined;
  /** By event: whether the body of its answer is base64. */
  const base64 = new WeakMap<object, boolean>();
  const answer = async (_: Serving, record: HTTPRequest, invocation: Invocation): Promise<HTTPResponse> => {
    app ??= assertApp(makeApp(middlewareOf(serving, calls)));
    const { event, context } = invocation;
    const address = clientAddress({ event, context }, record.headers);
    const response = await callApp(app, {
      record: { ...record, method: record.method.trim() },
      address,
      prepare(request) {
        calls.set(request, invocation);
        Object.assign(request, { apiGateway: { event, context }, ...(address !== undefined && { ip: address }) });
      },
    });
    base64.set(event as object, response.isBase64);
    return response;
  };
  // Without direct invocations, which have no path for the app's routes.
  const adapters = [...lambdaAdapters, netlifyV1]
    .filter(({ bodyIsResult }) => bodyIsResult !== true)
    .map((adapter) => (adapter === ping ? adapter : forApps(adapter as PlatformAdapter, base64)));
  return createUnobservedHandler({ adapters }, toServerOptions(settings, serving, answer));
}

/** All paths belong to the app, including health checks: the changed method keeps the server from answering them. */
function forApps(adapter: PlatformAdapter, base64: WeakMap<object, boolean>): PlatformAdapter<never> {
  return {
    ...adapter,
    toRequest(event: UnknownEvent) {
      const request = adapter.toRequest(event);
      return { ...request, method: ` ${request.method}` };
    },
    toResult(response: HTTPResponse, event: UnknownEvent) {
      const result = adapter.toResult(response, event);
      return base64.get(event) === true ? { ...(result as object), isBase64Encoded: true } : result;
    },
  };
}

/** What `app.use` takes. Requests to other paths go to the app's next handler. */
function middlewareOf(serving: Serving, calls: WeakMap<IncomingMessage, Invocation>): Middleware {
  return (request, response, next) => {
    if (!takes(serving, request) && next !== undefined) {
      next();
      return;
    }
    const invocation = calls.get(request);
    if (invocation === undefined) {
      const error = new Error(outside);
      if (next === undefined) throw error;
      next(error);
      return;
    }
    void answerThrough(serving, { request, response }, invocation);
  };
}

const outside =
  'The middleware of createHandler answers the requests that its handler gets. For a server that listens, use getMiddleware of ' +
  'graphql-functions/v3/express.';

/** `context` gets Express's request and response, with everything that earlier middleware added. */
async function answerThrough(serving: Serving, exchange: NodeExchange, invocation: Invocation): Promise<void> {
  const { request, response } = exchange;
  const options = (): ReturnType<Serving['options']> =>
    serving.options(request as unknown as ExpressRequest, response as unknown as ExpressResponse);
  const answered = await serveRequest({ ...serving, path: '/', options }, nodeHTTP.toRequest(exchange), invocation);
  // A resolver may have sent the answer, as with res.redirect.
  if (!response.headersSent) await nodeHTTP.toResult(answered, exchange);
}
