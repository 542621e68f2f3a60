/** A request made by a page (Fetch standard). */
export interface PageRequest {
  /** The origin of the page, as the browser writes it. */
  readonly origin: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** True if the browser sends the user's cookies. */
  readonly credentials: boolean;
  /** 'form': a form that is submitted, or a link that is followed. 'no-cors': an image, or `fetch` in that mode. */
  readonly mode: 'cors' | 'no-cors' | 'form';
  /** Header fields that are added without the page's request, from {@link addedFields}. */
  readonly added: readonly (readonly [name: string, value: string])[];
}

/** Fields that browsers, proxies and tracing add to requests of any page, without a preflight. */
export const addedFields: readonly (readonly [name: string, value: string])[] = [
  // Credentials typed into the browser's dialog.
  ['authorization', 'Basic dTpw'],
  // An EventSource that connects again, and <a ping>.
  ['last-event-id', '1'],
  ['ping-from', 'https://evil.test/'],
  ['ping-to', 'https://shop.example/'],
  ['cache-control', 'no-cache'],
  ['dnt', '1'],
  ['range', 'bytes=0-'],
  ['traceparent', '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01'],
  ['x-cloud-trace-context', '5759e988bd862e3fe1be46a994272793/1'],
  ['b3', '0'],
  ['x-b3-traceid', '5759e988bd862e3f'],
  ['baggage', 'a=1'],
  ['x-arr-log-id', '1'],
  ['x-amzn-trace-id', 'Root=1-5759e988-bd862e3fe1be46a994272793'],
  ['x-forwarded-for', '192.0.2.1'],
  ['surrogate-capability', 'cdn="ESI/1.0"'],
  ['x-cdn', 'Imperva'],
  ['ssl-client-verify', 'NONE'],
  ['x-nginx-proxy', 'true'],
  ['total-route-time', '0'],
  ['connect-time', '0'],
  ['x-consumer-id', '7'],
  ['remote-user', 'ada'],
];

export interface SeenResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

type Send = (method: string, headers: readonly (readonly [string, string])[]) => Promise<SeenResponse>;

/** The outcome: whether the request was sent, and whether the page can read the response. */
export interface PageOutcome {
  readonly isSent: boolean;
  readonly isReadable: boolean;
  readonly response: SeenResponse | undefined;
}

/**
 * A browser that implements cross-origin resource sharing as the Fetch standard defines it, independently of this library. Returns
 * undefined if a page cannot make the request. `fetchMetadata`: the browser sends Sec-Fetch-Site, as all current browsers do.
 */
export async function browse(page: PageRequest, send: Send, fetchMetadata: boolean): Promise<PageOutcome | undefined> {
  const method = normalized(page.method);
  const unsafe = unsafeNames(page.headers);
  const isSimple = safeMethods.has(method) && unsafe.length === 0;
  if (page.mode !== 'cors' && !isSimple) return undefined;

  const site: [string, string][] = fetchMetadata ? [['Sec-Fetch-Site', 'cross-site']] : [];
  const said: [string, string][] = page.mode === 'cors' || method === 'POST' ? [['Origin', page.origin], ...site] : site;
  if (!isSimple) {
    const names = unsafe.length > 0 ? [['Access-Control-Request-Headers', unsafe.join(',')] as const] : [];
    const preflight = await send('OPTIONS', [...said, ['Access-Control-Request-Method', method], ...names]);
    if (!passes(page, preflight, { method, unsafe })) return { isSent: false, isReadable: false, response: preflight };
  }
  const response = await send(method, [...page.headers, ...page.added, ...said]);
  return { isSent: true, isReadable: page.mode === 'cors' && isShared(page, response), response };
}

const safeMethods = new Set(['GET', 'HEAD', 'POST']);

/** "Normalize a method": other methods keep their case. */
function normalized(method: string): string {
  const upper = method.toUpperCase();
  return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(upper) ? upper : method;
}

/** "CORS-unsafe request-header names". */
function unsafeNames(headers: PageRequest['headers']): string[] {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    values.set(key, values.has(key) ? `${values.get(key)}, ${value}` : value);
  }
  return [...values].flatMap(([name, value]) => (isSafe(name, value) ? [] : [name])).toSorted();
}

// oxlint-disable-next-line no-control-regex -- the bytes of the standard
const unsafeBytes = /[\x00-\x08\x0a-\x1f"():<>?@[\\\]{}\x7f]/;

/** "CORS-safelisted request-header". */
function isSafe(name: string, value: string): boolean {
  if (value.length > 128) return false;
  if (name === 'accept') return !unsafeBytes.test(value);
  if (name === 'accept-language' || name === 'content-language') return /^[0-9A-Za-z *,\-.;=]*$/.test(value);
  if (name !== 'content-type' || unsafeBytes.test(value)) return false;
  const [essence = ''] = value.split(';');
  const type = essence.trim().toLowerCase();
  return ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'].includes(type);
}

interface Asked {
  readonly method: string;
  readonly unsafe: readonly string[];
}

/** "CORS-preflight fetch", from its seventh step on. */
function passes(page: PageRequest, response: SeenResponse, { method, unsafe }: Asked): boolean {
  if (!isShared(page, response) || response.status < 200 || response.status > 299) return false;
  const methods = listOf(response, 'access-control-allow-methods');
  const names = listOf(response, 'access-control-allow-headers').map((name) => name.toLowerCase());
  const any = (list: readonly string[]): boolean => !page.credentials && list.includes('*');
  const mayMethod = safeMethods.has(method) || methods.includes(method) || any(methods);
  return mayMethod && unsafe.every((name) => names.includes(name) || (any(names) && name !== 'authorization'));
}

function listOf({ headers }: SeenResponse, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((one) => one.trim());
}

/** "CORS check". */
function isShared({ origin, credentials }: PageRequest, { headers }: SeenResponse): boolean {
  const allowed = headers.get('access-control-allow-origin');
  if (allowed === undefined) return false;
  if (!credentials && allowed === '*') return true;
  return allowed === origin && (!credentials || headers.get('access-control-allow-credentials') === 'true');
}
