import type { IncomingMessage, ServerResponse } from 'node:http';

import { createHandlerFor } from '../../../handler/handler.ts';
import type { UntypedHandler } from '../../../handler/handler.ts';
import type { HTTPRequest, HTTPResponse } from '../../../message/http-messages.ts';
import type { Invocation } from '../../../message/invocation.ts';
import type { PlatformAdapter, UnknownEvent } from '../../../platform/adapter.ts';
import { directInvoke } from '../../../platform/direct-invoke.ts';
import { lambdaAdapters } from '../../../platform/lambda.ts';
import { netlifyV1 } from '../../../platform/netlify-v1.ts';
import { ping } from '../../../platform/ping.ts';
import { nodeHTTP } from '../../../platform/node.ts';
import type { NodeExchange } from '../../../platform/node.ts';
import { addressOf } from '../http/express.ts';
import type { ExpressRequest, ExpressResponse } from '../http/express.ts';
import { serveRequest } from '../http/serve.ts';
import type { Serving } from '../http/serve.ts';
import type { HandlerSettings } from '../server/config.ts';
import { lineOptions } from '../server/serving.ts';
import { askApp, assertApp, takes } from './express-app.ts';
import type { NodeApp } from './express-app.ts';

type Middleware = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** The option `expressAppFromMiddleware`: the user's app, with the middleware that answers GraphQL. */
export type MakeApp = (middleware: Middleware) => unknown;

/**
 * The handler of a Lambda function that is an Express app. The app is the user's own, and so is Express: this package only
 * brings it the events. It is made with the first request, as in version 3, when the whole module has been evaluated.
 */
export function createAppHandler(makeApp: MakeApp, settings: HandlerSettings, serving: Serving): UntypedHandler {
  const calls = new WeakMap<IncomingMessage, Invocation>();
  let app: NodeApp | undefined;
  /** By event: whether the body of its answer is base64. */
  const base64 = new WeakMap<object, boolean>();
  const answer = async (_: Serving, record: HTTPRequest, invocation: Invocation): Promise<HTTPResponse> => {
    app ??= assertApp(makeApp(middlewareOf(serving, calls)));
    const { event, context } = invocation;
    // The gateway knows the client; what the request says of it can be made up.
    const address = addressOf(event);
    const response = await askApp(app, {
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
  // An app answers HTTP: a direct invocation has no path that it could choose by.
  const adapters = [...lambdaAdapters, netlifyV1]
    .filter((adapter) => adapter !== directInvoke)
    .map((adapter) => (adapter === ping ? adapter : forApps(adapter as PlatformAdapter, base64)));
  return createHandlerFor(adapters, lineOptions(settings, serving, answer));
}

/** Every path is the app's, also those that the line would answer itself as a health check: it knows them by their method. */
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

/** What `app.use` takes. Requests to other paths go on to the app's next handler. */
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

/** `context` gets Express's own request and response, with all that middleware before has put there. */
async function answerThrough(serving: Serving, exchange: NodeExchange, invocation: Invocation): Promise<void> {
  const { request, response } = exchange;
  const options = (): ReturnType<Serving['options']> =>
    serving.options(request as unknown as ExpressRequest, response as unknown as ExpressResponse);
  const answered = await serveRequest({ ...serving, path: '/', options }, nodeHTTP.toRequest(exchange), invocation);
  // A resolver may have answered by itself, as with res.redirect.
  if (!response.headersSent) await nodeHTTP.toResult(answered, exchange);
}
