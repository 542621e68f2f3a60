import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import {
  answerAtOnce,
  isNetlifySchedule,
  lambdaResultBytes,
  pingRequest,
  cookieLists,
  encodeQuery,
  gatewayRequest,
  rawQuery,
} from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { netlifyTimeLimit } from './fetch.ts';

/** Netlify Functions 1.0 (`export const handler`): like a REST API's event, but without `requestContext`. */
export const netlifyV1: PlatformAdapter<UnknownEvent, NetlifyHandlerResponse> = {
  name: 'Netlify Functions (1)',
  begin: answerAtOnce,
  recognizes: (event) => ('httpMethod' in event || 'rawUrl' in event) && !('requestContext' in event),
  toRequest,
  toResult,
  timeLimit: () => netlifyTimeLimit,
  maxResultBytes: lambdaResultBytes,
};

function toRequest(event: UnknownEvent): HTTPRequest {
  const queryString = rawQuery(event['rawQuery']) ?? encodeQuery(event['queryStringParameters'], event['multiValueQueryStringParameters']);
  const request = gatewayRequest(event, queryString);
  if (isNetlifySchedule(request.headers)) return pingRequest();
  // Netlify decompresses a body, but leaves the header that says it is compressed. A text cannot be compressed.
  if (request.body.kind === 'text') request.headers.delete('content-encoding');
  return request;
}

/** Netlify refuses lists in `headers`, and some runtimes send a name that is in both maps twice. So cookies are in one map only. */
function toResult(response: HTTPResponse): NetlifyHandlerResponse {
  return {
    statusCode: response.status,
    headers: response.headers.toRecord(),
    ...cookieLists(response),
    ...(response.body === null ? {} : { body: response.body }),
  };
}

/** Netlify's context: its documented members, declared here so that users need not install `@netlify/functions` for types. */
export interface NetlifyContext {
  account: { id: string };
  cookies: NetlifyCookies;
  deploy: { context: string; id: string; published: boolean; skewProtectionToken?: string };
  geo: NetlifyGeo;
  /** The client's address. */
  ip: string;
  /** A response of JSON. */
  json: (input: unknown) => Response;
  log: (...data: any[]) => void;
  /** Returns the answer of the site without this function. Only edge functions have it. */
  next(options?: { sendConditionalRequest?: boolean }): Promise<Response>;
  next(request: Request, options?: { sendConditionalRequest?: boolean }): Promise<Response>;
  /** Parts of the path that the function's own `path` names. */
  params: Record<string, string>;
  requestId: string;
  /** Returns the answer of another address of the site. Only edge functions have it. */
  rewrite(url: string | URL): Promise<Response>;
  server: { region?: string };
  site: { id?: string; name?: string; url?: string };
  url: URL;
  /** Keeps the function alive for work that continues after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

/** Reads cookies of the request, and sets those of the response. */
export interface NetlifyCookies {
  get: (name: string) => string;
  set: {
    (cookie: NetlifyCookie): void;
    (name: string, value: string): void;
  };
  delete: (cookie: string | { domain?: string; name: string; path?: string }) => void;
}

/** A cookie with its attributes. */
export interface NetlifyCookie {
  name: string;
  value: string;
  expires?: Date | number;
  /** Seconds; 0 ends the cookie at once. */
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
  /** Further attributes, each "key=value". */
  unparsed?: string[];
}

/** The client's location, as Netlify estimates it. */
export interface NetlifyGeo {
  city?: string;
  country?: { code?: string; name?: string };
  postalCode?: string;
  subdivision?: { code?: string; name?: string };
  latitude?: number;
  longitude?: number;
  timezone?: string;
}

/** The event of `export const handler`, the older form of a function. */
export interface NetlifyHandlerEvent extends Omit<
  APIGatewayProxyEvent,
  'pathParameters' | 'requestContext' | 'resource' | 'stageVariables'
> {
  rawUrl: string;
  rawQuery: string;
  route?: string;
}

/** The second argument of a Netlify handler: the members of AWS Lambda's context that Netlify passes on. */
export interface NetlifyHandlerContext extends Omit<Context, 'clientContext' | 'done' | 'fail' | 'identity' | 'succeed' | 'tenantId'> {
  identity?: Record<string, any>;
  clientContext?: Record<string, any>;
}

/** The result of a function of the older form. */
export interface NetlifyHandlerResponse {
  statusCode: number;
  headers?: Record<string, boolean | number | string>;
  multiValueHeaders?: Record<string, readonly (boolean | number | string)[]>;
  body?: string;
  isBase64Encoded?: boolean;
}
