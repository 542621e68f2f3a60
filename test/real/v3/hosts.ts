import { createServer, request as send } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { GeneratedRequest } from './requests.ts';

// Any: the same code runs with two packages that have different types.
type Any = any;
type Event = GeneratedRequest['event'];
type Load = (name: string) => Any;

/** A request of the comparison, as it is sent to a host. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Ask = (sent: Sent) => Promise<unknown>;

/** A class with Lambda's `createHandler`, whose handler sends requests to an Express app. `load` loads Express. */
export function hostedServer(ApolloServer: Any, load: Load): unknown {
  return class Hosted {
    readonly #options: Any;

    constructor(options: Any) {
      this.#options = withContextOfLambda(options);
    }

    createHandler({ expressGetMiddlewareOptions: given = {} }: Any = {}): (event: Event) => Promise<unknown> {
      let asking: Promise<Ask> | undefined;
      return async (event) => (await (asking ??= serveWithExpress(new ApolloServer(this.#options), given, load)))(toSent(event));
    }
  };
}

async function serveWithExpress(server: Any, given: Any, load: Load): Promise<Ask> {
  await server.start();
  const app = load('express')();
  server.applyMiddleware({ app, path: '/', ...given });
  return asker(app as RequestListener);
}

/** Adapts the context functions of the comparison, which are written for Lambda. */
function withContextOfLambda({ context, ...options }: Any): unknown {
  if (typeof context !== 'function') return { ...options, ...(context !== undefined && { context }) };
  const ofLambda = ({ req: { headers, method, url }, res }: Any): unknown => {
    const response = { cookie() {}, setHeader: (name: string, value: string) => res.setHeader(name, value) };
    const ofExpress = { req: { headers, method, path: url.split('?', 1)[0] }, res: response };
    return context({ event: { headers }, context: { awsRequestId: 'call' }, express: ofExpress });
  };
  return { ...options, context: ofLambda };
}

function toSent({ requestContext, httpMethod, rawPath, path, rawQueryString, headers, body }: Event): Sent {
  const search = rawQueryString ? `?${rawQueryString}` : '';
  return { method: requestContext?.http?.method ?? httpMethod, path: rawPath ?? path, search, headers, body };
}

async function asker(listener: RequestListener): Promise<Ask> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return ({ method, path, search, headers, body }) =>
    new Promise((resolve) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const call = send({ port, method, path: path + search, headers: { ...headers, ...length }, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { 'set-cookie': cookies = [], ...fields } = response.headers;
          resolve({ statusCode: response.statusCode, headers: fields, cookies, body: Buffer.concat(chunks).toString() });
        });
      });
      call.on('error', (error) => resolve({ rejected: error.message }));
      call.end(body);
    });
}
