import type { EventRequest, RequestFields } from './event-request.ts';
import { toEventRequest } from './event-request.ts';
import * as events from './events.ts';
import { contracts, toResponse } from './results.ts';
import type { ResultContract } from './results.ts';

/**
 * A platform: the events that it sends to a function, and how it reads the result.
 *
 * `aws-rest` is API Gateway's REST API, `aws-http` its HTTP API (`aws-http-v1`: payload format 1.0). `alb-multi` has lists
 * of values, `netlify-v1-vite` is the event of Netlify's Vite plugin.
 */
export type PlatformName =
  | 'fetch'
  | 'netlify-v1'
  | 'netlify-v1-vite'
  | 'aws-http'
  | 'aws-http-v1'
  | 'aws-rest'
  | 'function-url'
  | 'alb'
  | 'alb-multi'
  | 'lattice'
  | 'lattice-v1';

export interface EventSettings {
  /** API Gateway's stage. Some platforms add it to the event's path. Default: "prod"; for HTTP APIs "$default". */
  readonly stage?: string | undefined;
}

/** Creates a platform's event for a request; for `fetch` a web `Request`. The default is GET /graphql. */
// Any: each platform has a different event type, and a test may modify the event.
export function createEvent(platform: PlatformName, request: RequestFields, settings: EventSettings = {}): any {
  return platformOf(platform).build(toEventRequest(request), settings.stage);
}

/** Converts a function's result to a response as its platform does. Throws a TypeError where the platform would answer with 502. */
export function readResult(platform: PlatformName, result: unknown): Response {
  return platformOf(platform).read(result);
}

interface Platform {
  readonly build: (request: EventRequest, stage?: string) => unknown;
  readonly read: (result: unknown) => Response;
}

const platforms: Readonly<Record<PlatformName, Platform>> = {
  fetch: { build: (request) => events.webRequest(request), read: assertResponse },
  'netlify-v1': reading(contracts.netlifyV1, events.netlifyEvent),
  'netlify-v1-vite': reading(contracts.netlifyV1, events.netlifyViteEvent),
  'aws-http': reading(contracts.payloadV2, events.httpAPIEvent),
  'aws-http-v1': reading(contracts.restAPI, events.httpAPIv1Event),
  'aws-rest': reading(contracts.restAPI, events.restEvent),
  'function-url': reading(contracts.payloadV2, events.functionURLEvent),
  alb: reading(contracts.alb, events.albEvent),
  'alb-multi': reading(contracts.albMulti, events.albMultiEvent),
  lattice: reading(contracts.lattice, events.latticeV2Event),
  'lattice-v1': reading(contracts.lattice, events.latticeV1Event),
};

/** The names of all platforms, for messages. */
export const platformNames: readonly string[] = Object.keys(platforms);

function platformOf(name: PlatformName): Platform {
  if (Object.hasOwn(platforms, name)) return platforms[name];
  throw new TypeError(`Expected a platform (${platformNames.join(', ')}), got "${String(name)}".`);
}

function reading(contract: ResultContract, build: Platform['build']): Platform {
  return { build, read: (result) => toResponse(contract, result) };
}

function assertResponse(result: unknown): Response {
  if (result instanceof Response) return result;
  const keys: object = typeof result === 'object' && result !== null ? result : {};
  let hint = '';
  if ('statusCode' in keys)
    hint = " Its handler takes events: set the platform that sends them, such as { platform: 'aws-http' } for AWS Lambda.";
  if ('typeDefs' in keys || 'schema' in keys) hint = ' To test options, pass them, or a promise of them: createTester(options()).';
  throw new TypeError(`Expected the function to return a Response, got ${result === null ? 'null' : typeof result}.${hint}`);
}

/** The second argument of a Lambda handler. `timeout`: milliseconds until its deadline. */
export function createLambdaContext(name: string, timeout: number = defaultTimeout): object {
  return {
    ...createFunctionContext(name, timeout),
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:123456789012:function:${name}`,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: '2026/01/01/[$LATEST]0123456789abcdef0123456789abcdef',
  };
}

/** Creates the members that the contexts of AWS Lambda and of Netlify Functions 1.0 have in common. */
export function createFunctionContext(name: string, timeout: number): object {
  const deadline = Date.now() + timeout;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    memoryLimitInMB: '1024',
    awsRequestId: globalThis.crypto.randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** API Gateway's timeout in milliseconds. */
const defaultTimeout = 29_000;
