/** The event of an API Gateway HTTP API (2.0), as AWS sends it for a POST. `added`: header fields in addition to those of a script, or in place of them. */
export function createEvent(body: string, added: Readonly<Record<string, string>> = {}): object {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/graphql',
    rawQueryString: '',
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'content-length': String(body.length),
      'content-type': 'application/json',
      host: 'abc123.execute-api.eu-central-1.amazonaws.com',
      'user-agent': 'node',
      'x-amzn-trace-id': 'Root=1-5c536348-3d683b8b04734faae651f476',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...added,
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'abc123',
      http: { method: 'POST', path: '/graphql', protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'node' },
      requestId: 'id',
      routeKey: '$default',
      stage: '$default',
      time: '20/Nov/2026:18:00:00 +0000',
      timeEpoch: 1795190400000,
    },
    body,
    isBase64Encoded: false,
  };
}

/** Header fields that, added to an event's, make the 18 of a browser's cross-origin request. */
export const browserHeaders: Readonly<Record<string, string>> = {
  accept: 'application/graphql-response+json, application/json',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  origin: 'https://shop.example.com',
  referer: 'https://shop.example.com/',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-platform': '"macOS"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-site',
  'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};

/** The same request as a web `Request`. */
export function createRequest(body: string): Request {
  const headers = { accept: '*/*', 'content-type': 'application/json', 'user-agent': 'node' };
  return new Request('https://abc123.execute-api.eu-central-1.amazonaws.com/graphql', { method: 'POST', headers, body });
}

/** The result of the handler. */
export interface Result {
  readonly statusCode: number;
  readonly body: string;
}

/** Creates a Lambda handler of a server for a schema and its resolvers. */
export type Contestant = (input: {
  readonly typeDefs: string;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, (parent: any, args: any) => unknown>>>>;
}) => (event: any, context: object) => Promise<Result>;

/** Creates a handler of web requests. Its result has the text of the response. */
export type WebContestant = (input: Parameters<Contestant>[0]) => (request: Request) => Promise<Result>;
