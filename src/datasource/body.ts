import type { DataSourceRequest } from './request.ts';

/** Makes JSON of what fetch could not send, and says so in content-type unless the caller has said something else. */
export function serializeBody(request: DataSourceRequest): void {
  const { body } = request;
  if (body === undefined || body === null || isFetchBody(body)) return;

  request.body = JSON.stringify(body);
  if (!request.headers.has('content-type')) request.headers.set('content-type', 'application/json');
}

/** A stream can be read once, and fetch wants to be told that it is one. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (tagOf(body) === 'ReadableStream' || Symbol.asyncIterator in body);
}

// By tag, not by instanceof: naming FormData would load fetch, and form-data packages bring classes of their own.
const FETCH_BODIES = new Set(['FormData', 'URLSearchParams', 'Blob', 'File', 'ArrayBuffer', 'SharedArrayBuffer', 'ReadableStream']);

function isFetchBody(body: unknown): boolean {
  if (typeof body === 'string') return true;
  if (typeof body !== 'object' || body === null) return false;
  return ArrayBuffer.isView(body) || FETCH_BODIES.has(tagOf(body)) || isStream(body);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
