import type { DataSourceRequest } from './request.ts';
import { describe } from '../shared/index.ts';

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

  const carried = typeof body === 'object' ? toFetchBody(body) : undefined;
  request.body = carried ?? toJSON(body, request);
  if (carried === undefined) setContentType(request, 'application/json');
}

/** True for bodies that can be read only once. */
export function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (tagOf(body) === 'ReadableStream' || Symbol.asyncIterator in body);
}

// Compares tags, because a reference to FormData would load fetch.
function toFetchBody(body: object): unknown {
  if (ArrayBuffer.isView(body)) return body;
  const tag = tagOf(body);
  if (tag === 'ReadableStream' || tag === 'ArrayBuffer') return body;
  if (tag === 'URLSearchParams' || tag === 'Blob' || tag === 'File' || tag === 'FormData') {
    if (body instanceof globalThis[tag]) return body;
    throw new TypeError(`The body of a call is another package's ${tag}, which fetch cannot send: use the ${tag} of the platform`);
  }
  if (Symbol.asyncIterator in body) return toByteStream(body as AsyncIterable<unknown>);
  if ('getHeaders' in body) throw new TypeError('The body of a call is a form of the npm package form-data: use FormData of the platform');
  return undefined;
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
  throw new TypeError(`A body that is a stream must be of bytes or text, not of ${describe(chunk)}`);
}

/** Refuses what JSON leaves out, and what it silently turns into "{}": a Map, a promise or an instance without fields. */
function toJSON(body: unknown, { method }: DataSourceRequest): string {
  let subject = `The body of a ${method} is`;
  const text: string | undefined = JSON.stringify(typeof body === 'bigint' ? undefined : body, (key, value: unknown) => {
    if (value !== body) subject = `The field "${key}" in the body of a call is`;
    if (typeof value === 'function' && value !== body)
      throw new TypeError(`The field "${key}" in the body of a call is a function, which JSON leaves out`);
    if (typeof value === 'object' && value !== null && isLost(value))
      throw new TypeError(`${subject} ${describe(value)}, which JSON turns into {}: ${advice(value)}`);
    return value;
  });
  if (text === undefined) throw new TypeError(`The body of a ${method} is ${describe(body)}, which JSON cannot represent`);
  return text;
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

function setContentType(request: DataSourceRequest, type: string): void {
  if (!request.headers.has('content-type')) request.headers.set('content-type', type);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
