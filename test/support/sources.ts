import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';

import { createHandler as createLambdaHandler, createStreamingHandler } from '../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../src/entries/fetch.ts';
import { createHandler } from '../../src/entries/index.ts';
import { createHandler as createNetlifyHandler } from '../../src/entries/netlify.ts';
import { createListener } from '../../src/entries/node.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import * as events from './events.ts';
import type { PlainRequest, PlainResponse } from './plain-http.ts';
import { recordStream, splitPrelude } from './response-stream.ts';
import { assertUncacheableUnlessAllowed } from './uncacheable.ts';
import { contracts, readResult, readWebResponse } from './results.ts';
import type { ResultContract } from './results.ts';

/** A source of requests: creates an event from a request, and reads the result. */
export interface Source {
  readonly name: string;
  readonly build: (request: PlainRequest) => unknown;
  /** Fails for a result that the platform would refuse, and for one that is cacheable without permission. */
  readonly read: (result: unknown) => PlainResponse | Promise<PlainResponse>;
  readonly losses?: Losses;
}

/** What the platform drops or changes before it calls the handler. */
export interface Losses {
  /** The platform sends at most one set-cookie field. */
  readonly setCookies?: boolean;
  /** The function receives only the last value of a repeated header or parameter. */
  readonly repeats?: boolean;
  /** The platform converts bytes to text before it calls the function. */
  readonly bytes?: boolean;
}

const restAPI: Source = source('REST API', events.restEvent, contracts.restAPI);
const httpAPIv1: Source = source('HTTP API 1.0', events.httpAPIv1Event, contracts.restAPI);
const httpAPI: Source = source('HTTP API 2.0', events.httpAPIEvent, contracts.payloadV2);
const functionURL: Source = source('function URL', events.functionURLEvent, contracts.payloadV2);
const alb: Source = { ...source('ALB', events.albEvent, contracts.alb), losses: { setCookies: true, repeats: true } };
const albMulti: Source = source('ALB with multi-value headers', events.albMultiEvent, contracts.albMulti);
const latticeV1: Source = { ...source('VPC Lattice 1', events.latticeV1Event, contracts.lattice), losses: { setCookies: true } };
const latticeV2: Source = { ...source('VPC Lattice 2', events.latticeV2Event, contracts.lattice), losses: { setCookies: true } };
const netlifyV1: Source = source('Netlify 1', events.netlifyEvent, contracts.netlifyV1);
const netlifyVite: Source = { ...source('Netlify 1 (Vite)', events.netlifyViteEvent, contracts.netlifyV1), losses: { bytes: true } };
const webRequest: Source = {
  name: 'web Request',
  build: (request) => events.webRequest(request),
  read: async (result) => checked(await readWebResponse(result)),
};

/** Every source of HTTP requests on AWS Lambda. */
export const lambdaSources: readonly Source[] = [restAPI, httpAPIv1, httpAPI, functionURL, alb, albMulti, latticeV1, latticeV2];
/** Every source of HTTP requests whose events can be built without a socket. */
export const sources: readonly Source[] = [...lambdaSources, netlifyV1, netlifyVite, webRequest];
export { alb, albMulti, functionURL, httpAPI, httpAPIv1, latticeV1, latticeV2, netlifyV1, netlifyVite, restAPI, webRequest };

/** A source and the entry point that serves it, as a user deploys it. */
export interface FrontDoor {
  readonly name: string;
  readonly losses: Losses;
  /** Whether a response can be streamed. */
  readonly streams: boolean;
  /** Sends one request through a server with these options and returns its response. */
  open(options: ServerOptions): OpenDoor;
}

export interface OpenDoor {
  send(request: PlainRequest): Promise<PlainResponse>;
  close(): Promise<void>;
}

type CreateHandler = (options: ServerOptions) => (event: unknown, context?: unknown) => Promise<unknown>;

/** All event sources: the universal handler behind every source, separate entry points, `fetch`, and node:http. */
export const frontDoors: readonly FrontDoor[] = [
  ...sources.map((one) => frontDoor('', createHandler as CreateHandler, one)),
  ...lambdaSources.map((one) => frontDoor('/aws-lambda: ', createLambdaHandler as CreateHandler, one)),
  ...[netlifyV1, webRequest].map((one) => frontDoor('/netlify: ', createNetlifyHandler as CreateHandler, one)),
  frontDoor('/fetch: ', createFetchHandler as CreateHandler, webRequest),
  frontDoor('handler.fetch: ', ((options) => createHandler(options).fetch) as CreateHandler, webRequest),
  frontDoor('/fetch, .fetch: ', ((options) => createFetchHandler(options).fetch) as CreateHandler, webRequest),
  streamedDoor(functionURL, contracts.payloadV2),
  streamedDoor(restAPI, contracts.restAPI),
  { name: 'node:http', losses: {}, streams: true, open: openNode },
];

function source(name: string, build: Source['build'], contract: ResultContract): Source {
  return { name, build, read: (result) => checked(readResult(contract, result)) };
}

/** Checks every answer of every test that uses these sources. */
function checked(response: PlainResponse): PlainResponse {
  assertUncacheableUnlessAllowed(response);
  return response;
}

function frontDoor(entry: string, create: CreateHandler, { name, build, read, losses = {} }: Source): FrontDoor {
  return {
    name: `${entry}${name}`,
    losses,
    streams: name === webRequest.name,
    open: (options) => {
      const handler = create(options);
      return { send: async (request) => read(await handler(build(request), {})), close: async () => {} };
    },
  };
}

/** A streaming Lambda function, whose answer is read from the bytes in the stream as the event source reads it. */
function streamedDoor({ name, build }: Source, contract: ResultContract): FrontDoor {
  return {
    name: `/aws-lambda, streamed: ${name}`,
    losses: {},
    streams: true,
    open: (options) => {
      const handler = createStreamingHandler(options as Parameters<typeof createStreamingHandler>[0]);
      const send = async (request: PlainRequest): Promise<PlainResponse> => {
        const { output, text } = recordStream();
        const [written] = await Promise.all([text(), handler(build(request) as Parameters<typeof handler>[0], output)]);
        const { head, body } = splitPrelude(written);
        return checked(readResult(contract, { ...head, body }));
      };
      return { send, close: async () => {} };
    },
  };
}

function openNode(options: ServerOptions): OpenDoor {
  const server = createServer(createListener(options));
  const listening = new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  return {
    send: async (request) => checked(await sendOverHTTP(await listening, request)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends with node:http, because fetch would normalize requests that these tests send unchanged. */
function sendOverHTTP(port: number, request: PlainRequest): Promise<PlainResponse> {
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest(
      {
        host: '127.0.0.1',
        port,
        method: request.method,
        path: `${request.path}${request.query === '' ? '' : `?${request.query}`}`,
        headers: [
          ...request.headers.flat(),
          'Host',
          `127.0.0.1:${port}`,
          ...(body === undefined ? [] : ['Content-Length', String(body.byteLength)]),
        ],
        agent: false,
      },
      (incoming) => readIncoming(incoming).then(resolve, reject),
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function readIncoming(incoming: IncomingMessage): Promise<PlainResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(incoming.headers)) if (typeof value === 'string') headers.set(name, value);
  return {
    status: incoming.statusCode ?? 0,
    headers,
    setCookies: incoming.headers['set-cookie'] ?? [],
    body: Buffer.concat(chunks).toString(),
  };
}
