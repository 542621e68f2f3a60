import type { CacheEntry } from './cache-entry.ts';
import { createJSONError } from './errors.ts';
import type { CallResult } from './memo.ts';
import type { DataSourceRequest } from './request.ts';
import type { Milliseconds } from './units.ts';

/** A response from the origin or out of the cache, before anybody has read its body. */
export interface ReceivedResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly contentType: string | null;
  /** The body as text. To be called once. */
  text(): Promise<string>;
  /** As the web's `Response`, for hooks. To be called once, and instead of `text`. */
  toResponse(): Response;
}

/** A response as it came from fetch, its body unread. */
export function fromFetch(response: Response): ReceivedResponse {
  return {
    ok: response.ok,
    status: response.status,
    contentType: response.headers.get('content-type'),
    text: () => response.text(),
    toResponse: () => response,
  };
}

/** A stored response; `headers` replace the entry's own, for the one whose request it answered. */
export function fromEntry(entry: CacheEntry, now: Milliseconds, headers?: Headers): ReceivedResponse {
  const { url, status, statusText } = entry;
  return {
    ok: status >= 200 && status <= 299,
    status,
    contentType: entry.contentType,
    async text() {
      const { body } = entry;
      return typeof body === 'string' ? withoutByteOrderMark(body) : new TextDecoder().decode(body);
    },
    toResponse: () => rebuildResponse(entry.body, { url, status, statusText, headers: headers ?? withAge(entry, now) }),
  };
}

/** The body as text when its bytes are UTF-8 and come back the same, else the bytes. */
export function decodeBody(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** The result of a success, by its media type: JSON is parsed, the rest stays text; no body is "". */
export async function parseReceived(received: ReceivedResponse, request: DataSourceRequest): Promise<CallResult> {
  const text = await received.text();
  if (text === '' || !isJSON(received.status, received.contentType)) return { value: text };
  try {
    return { value: JSON.parse(text), json: text };
  } catch (error) {
    throw createJSONError(request, error);
  }
}

/** The body of a response, parsed when it says that it is JSON. */
export async function parseBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '' || !isJSON(response.status, response.headers.get('content-type'))) return text;
  return JSON.parse(text);
}

/** A Response over a body that has been read already; `url` cannot be given to its constructor. */
export function rebuildResponse(body: string | Uint8Array | null, { url, ...init }: ResponseInit & { url: string }): Response {
  // "Null body statuses" of the Fetch standard: their responses are refused any body, an empty one included.
  const bodyless = init.status === 204 || init.status === 205 || init.status === 304;
  const response = new Response(bodyless ? null : body, init);
  return Object.defineProperty(response, 'url', { value: url });
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function withAge({ headers, storedAt }: CacheEntry, now: Milliseconds): Record<string, string> {
  const age = (Number.parseInt(headers['age'] ?? '', 10) || 0) + Math.max(0, now - storedAt) / 1000;
  return { ...headers, age: `${Math.floor(age)}` };
}

/** application/json and everything ending in +json; upper or lower case, with or without parameters. */
function isJSON(status: number, contentType: string | null): boolean {
  return status !== 204 && contentType !== null && /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);
}
