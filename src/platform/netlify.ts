/**
 * The context that Netlify calls a function with: the fields that its documentation names. Declared here, and not
 * taken from `@netlify/functions`, to spare users a package for types alone; test/types.test.ts compares them.
 */
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
  /** Of edge functions: the answer that there would be without this function. */
  next(options?: { sendConditionalRequest?: boolean }): Promise<Response>;
  next(request: Request, options?: { sendConditionalRequest?: boolean }): Promise<Response>;
  /** Parts of the path that the function's own `path` names. */
  params: Record<string, string>;
  requestId: string;
  /** Of edge functions: the answer of another address of the site. */
  rewrite(url: string | URL): Promise<Response>;
  server: { region?: string };
  site: { id?: string; name?: string; url?: string };
  url: URL;
  /** Keeps the function alive for work that outlasts the answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

/** Reads cookies of the request, and writes those of the response. */
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

/** The client's place, as Netlify guesses it. */
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
export interface NetlifyHandlerEvent {
  rawUrl: string;
  rawQuery: string;
  path: string;
  httpMethod: string;
  headers: Record<string, string | undefined>;
  multiValueHeaders: Record<string, string[] | undefined>;
  queryStringParameters: Record<string, string | undefined> | null;
  multiValueQueryStringParameters: Record<string, string[] | undefined> | null;
  body: string | null;
  isBase64Encoded: boolean;
  route?: string;
}

/** Its second argument: AWS Lambda's context, as far as Netlify hands it on. */
export interface NetlifyHandlerContext {
  callbackWaitsForEmptyEventLoop: boolean;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  awsRequestId: string;
  logGroupName: string;
  logStreamName: string;
  identity?: Record<string, any>;
  clientContext?: Record<string, any>;
  /** Milliseconds until the function is ended. */
  getRemainingTimeInMillis(): number;
}

/** The result of a function of the older form. */
export interface NetlifyHandlerResponse {
  statusCode: number;
  headers?: Record<string, boolean | number | string>;
  multiValueHeaders?: Record<string, readonly (boolean | number | string)[]>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Milliseconds that Netlify gives a synchronous function. */
export const netlifyTimeLimit = 60_000;
/** The same in Netlify's local runtimes. */
const localTimeLimit = 30_000;

/** The time limit that goes with the context of a function of the second generation. Other platforms that speak `Request` name none. */
export function netlifyTimeLimitOf(context: unknown): number | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { deploy, site } = context as { readonly deploy?: unknown; readonly site?: unknown };
  if (typeof deploy !== 'object' || deploy === null || typeof site !== 'object') return undefined;
  return (deploy as { readonly context?: unknown }).context === 'dev' ? localTimeLimit : netlifyTimeLimit;
}
