import type { DataSourceRequest } from './request.ts';

/**
 * Converts a body to one that fetch can send, and sets content-type unless the caller has set it: JSON for plain objects, arrays and
 * objects with `toJSON`; forms, bytes, text and streams as they are. A body that would arrive as "{}" or "[object Object]" (a Map, a
 * promise, an instance without fields) is refused.
 */
export function serializeBody(request: DataSourceRequest): void {
  const { body } = request;
  if (body === undefined || body === null) return;
  // An empty text is refused, too, because equal GETs share a response regardless of bodies.
  if (request.method === 'GET' || request.method === 'HEAD') throw new TypeError(`A ${request.method} cannot have a body`);
  if (typeof body === 'string') return;

  const carried = typeof body === 'object' ? toFetchBody(body, request) : undefined;
  request.body = carried ?? toJSON(body, request);
  if (carried === undefined) setContentType(request, 'application/json');
}

/** True for bodies that can be read only once. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (tagOf(body) === 'ReadableStream' || Symbol.asyncIterator in body);
}

// Compares tags, because a reference to FormData would load fetch, and packages have their own classes.
function toFetchBody(body: object, request: DataSourceRequest): unknown {
  if (isLegacyForm(body)) return toFormStream(body, request);
  if (ArrayBuffer.isView(body)) return tagOf(body.buffer) === 'SharedArrayBuffer' ? copyBytes(body.buffer, body) : body;
  switch (tagOf(body)) {
    case 'ReadableStream':
    case 'ArrayBuffer':
      return body;
    case 'SharedArrayBuffer':
      return copyBytes(body as ArrayBufferLike);
    case 'URLSearchParams':
      return body instanceof URLSearchParams ? body : new URLSearchParams(String(body));
    case 'Blob':
    case 'File':
      return body instanceof Blob ? body : toBlobStream(body as Blob, request);
    case 'FormData':
      return body instanceof FormData ? body : copyForeignForm(body as Iterable<[string, unknown]>);
  }
  return Symbol.asyncIterator in body ? toByteStream(body as AsyncIterable<unknown>) : undefined;
}

/** fetch refuses memory that other threads can change. */
function copyBytes(buffer: ArrayBufferLike, { byteOffset, byteLength }: { byteOffset?: number; byteLength: number } = buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset ?? 0, byteLength).slice();
}

/** Converts the Blob of another package. */
function toBlobStream(blob: Blob, request: DataSourceRequest): unknown {
  if (blob.type !== '') setContentType(request, blob.type);
  return blob.stream();
}

/** Copies the FormData of another package, which fetch would send as "[object FormData]". */
function copyForeignForm(entries: Iterable<[string, unknown]>): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' && !(value instanceof Blob)) {
      throw new TypeError(`The field "${name}" of the form is another package's file, which fetch cannot send: convert it to a Blob`);
    }
    form.append(name, value as string);
  }
  return form;
}

/** A form of the npm package form-data: an old Node.js stream with header fields. */
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

/** Only Node's fetch accepts an async iterable, and none accepts text in it. */
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
  throw new TypeError(`A body that is a stream must be of bytes or text, not of ${nameOf(chunk)}`);
}

function toJSON(body: unknown, { method }: DataSourceRequest): string {
  // This comes first, because it detects circular references.
  const text = typeof body === 'bigint' ? undefined : JSON.stringify(body);
  if (text === undefined) throw new TypeError(`The body of a ${method} is ${nameOf(body)}, which JSON cannot represent`);
  assertNothingLost(body, `The body of a ${method} is`);
  return text;
}

/** JSON silently turns a Map, a promise or an instance without fields into "{}". */
function assertNothingLost(value: unknown, subject: string): void {
  if (typeof value !== 'object' || value === null || typeof (value as { toJSON?: unknown }).toJSON === 'function') return;
  if (isLost(value)) throw new TypeError(`${subject} ${nameOf(value)}, which JSON turns into {}: ${advice(value)}`);
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'function' && typeof (item as { toJSON?: unknown }).toJSON !== 'function') {
      throw new TypeError(`The field "${key}" in the body of a call is a function, which JSON leaves out`);
    }
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
  if (tag === 'Map') return 'convert it to a plain object, for example with Object.fromEntries';
  if (tag === 'Set') return 'convert it to an array';
  return 'convert it to a plain object, or add toJSON to its class';
}

function nameOf(value: unknown): string {
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
