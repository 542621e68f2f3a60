import type { DataSourceRequest } from './request.ts';

/**
 * Makes of a body what fetch can send, and says in content-type what it is unless the caller has said something else.
 * JSON of plain objects, arrays and whatever has a `toJSON`; forms, bytes, text and streams as they are. A body that would
 * arrive as "{}" or "[object Object]" (a Map, a promise, an instance with nothing to show) is refused.
 */
export function serializeBody(request: DataSourceRequest): void {
  const { body } = request;
  if (body === undefined || body === null) return;
  // A text, too: Node's dispatcher would send it, and equal GETs share their answer, whatever their bodies say.
  if (request.method === 'GET' || request.method === 'HEAD') throw new TypeError(`A ${request.method} has no body: fetch sends none`);
  if (typeof body === 'string') return;

  const carried = typeof body === 'object' ? toFetchBody(body, request) : undefined;
  request.body = carried ?? toJSON(body, request);
  if (carried === undefined) setContentType(request, 'application/json');
}

/** A stream can be read once, and fetch wants to be told that it is one. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (tagOf(body) === 'ReadableStream' || Symbol.asyncIterator in body);
}

// By tag, not by instanceof: naming FormData would load fetch, and packages bring classes of their own.
function toFetchBody(body: object, request: DataSourceRequest): unknown {
  if (isLegacyForm(body)) return toFormStream(body, request);
  if (ArrayBuffer.isView(body)) return tagOf(body.buffer) === 'SharedArrayBuffer' ? toOwnBytes(body.buffer, body) : body;
  switch (tagOf(body)) {
    case 'ReadableStream':
    case 'ArrayBuffer':
      return body;
    case 'SharedArrayBuffer':
      return toOwnBytes(body as ArrayBufferLike);
    case 'URLSearchParams':
      return body instanceof URLSearchParams ? body : new URLSearchParams(String(body));
    case 'Blob':
    case 'File':
      return body instanceof Blob ? body : toBlobStream(body as Blob, request);
    case 'FormData':
      return body instanceof FormData ? body : toOwnForm(body as Iterable<[string, unknown]>);
  }
  return Symbol.asyncIterator in body ? toByteStream(body as AsyncIterable<unknown>) : undefined;
}

/** fetch takes no memory that another thread can change. */
function toOwnBytes(buffer: ArrayBufferLike, { byteOffset, byteLength }: { byteOffset?: number; byteLength: number } = buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset ?? 0, byteLength).slice();
}

/** Another package's Blob: its bytes and its type. */
function toBlobStream(blob: Blob, request: DataSourceRequest): unknown {
  if (blob.type !== '') setContentType(request, blob.type);
  return blob.stream();
}

/** Another package's FormData: to fetch it would be the text "[object FormData]". */
function toOwnForm(entries: Iterable<[string, unknown]>): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' && !(value instanceof Blob)) {
      throw new TypeError(`The field "${name}" of the form is another package's file, which fetch cannot send: make a Blob of it`);
    }
    form.append(name, value as string);
  }
  return form;
}

/** A form of the npm package form-data: a stream of the time before async iteration, which knows its own header fields. */
interface LegacyForm {
  getHeaders(): Record<string, string>;
  on(event: string, listener: (chunk: unknown) => void): unknown;
  pause(): void;
  resume(): void;
}

function isLegacyForm(body: object): body is LegacyForm {
  const form = body as Partial<Record<keyof LegacyForm, unknown>>;
  return [form.getHeaders, form.on, form.pause, form.resume].every((method) => typeof method === 'function');
}

function toFormStream(form: LegacyForm, request: DataSourceRequest): ReadableStream {
  setContentType(request, new Headers(form.getHeaders()).get('content-type') ?? 'multipart/form-data');
  return new ReadableStream({
    start(controller) {
      form.on('data', (chunk) => {
        controller.enqueue(toBytes(chunk));
        if ((controller.desiredSize ?? 0) <= 0) form.pause();
      });
      form.on('end', () => controller.close());
      form.on('error', (error) => controller.error(error));
    },
    pull: () => form.resume(),
    cancel: () => form.pause(),
  });
}

/** Only Node's fetch takes an async iterable, and none takes text in it. */
function toByteStream(chunks: AsyncIterable<unknown>): ReadableStream {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) {
        controller.close();
        return;
      }
      try {
        controller.enqueue(toBytes(value));
      } catch (error) {
        await iterator.return?.();
        throw error;
      }
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError(`A body that is a stream must be of bytes or text, not of ${inWords(chunk)}`);
}

function toJSON(body: unknown, { method }: DataSourceRequest): string {
  // First, because it finds what goes round in circles.
  const text = typeof body === 'bigint' ? undefined : JSON.stringify(body);
  if (text === undefined) throw new TypeError(`The body of a ${method} is ${inWords(body)}, of which JSON makes nothing`);
  assertNothingLost(body, `The body of a ${method} is`);
  return text;
}

/** JSON makes "{}" of a Map, a promise and an instance that shows no field, and says nothing. */
function assertNothingLost(value: unknown, subject: string): void {
  if (typeof value !== 'object' || value === null || typeof (value as { toJSON?: unknown }).toJSON === 'function') return;
  if (isLost(value)) throw new TypeError(`${subject} ${inWords(value)}, of which JSON makes {}: ${advice(value)}`);
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && item !== null) assertNothingLost(item, `The field "${key}" in the body of a call is`);
  }
}

const lost = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'Error']);
const boxed = new Set(['Number', 'Boolean', 'String']);

function isLost(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object, also one of another realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  const tag = tagOf(value);
  return lost.has(tag) || (Object.keys(value).length === 0 && !boxed.has(tag));
}

function advice(value: object): string {
  const tag = tagOf(value);
  if (tag === 'Promise') return 'await it first';
  if (tag === 'Map') return 'make a plain object of it, with Object.fromEntries for instance';
  if (tag === 'Set') return 'make an array of it';
  return 'make a plain object of it, or give its class a toJSON';
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`;
  const { name } = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor ?? {};
  return name === undefined || name === '' ? 'an object' : `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}

function setContentType(request: DataSourceRequest, type: string): void {
  if (!request.headers.has('content-type')) request.headers.set('content-type', type);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
