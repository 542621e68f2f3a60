import type { ExecutionTrace, TracedError, TraceNode } from './trace.ts';

/** A trace in base64: the message `Trace` of Apollo's protocol (reports.proto) in the encoding of Protocol Buffers. */
export function encodeTrace({ elapsed, startedAt, root }: ExecutionTrace): string {
  encoded.clear();
  const bytes = Uint8Array.from([
    ...message(3, time(startedAt + elapsed / 1e6)),
    ...message(4, time(startedAt)),
    ...integer(11, elapsed),
    ...message(14, node(root)),
    ...executionWeight,
  ]);
  let binary = '';
  // In steps, because a call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** field_execution_weight (31), the double 1: each execution counts once. */
const executionWeight: Bytes = [0xf9, 0x01, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f];

type Bytes = readonly number[];

/** The message `Timestamp`. */
function time(milliseconds: number): Bytes {
  const seconds = Math.floor(milliseconds / 1000);
  return [...integer(1, seconds), ...integer(2, Math.round((milliseconds - seconds * 1000) * 1e6))];
}

/** The message `Node`. */
function node({ key, field, errors, children }: TraceNode): Bytes {
  const bytes: number[] = [];
  if (typeof key === 'string') bytes.push(...text(1, key));
  // Index 0 is written, because it says that this is not a field.
  else if (key !== undefined) varint(key, varint(2 * 8, bytes));
  if (field !== undefined) {
    bytes.push(...text(3, field.type), ...integer(8, field.start), ...integer(9, field.end), ...text(13, field.parentType));
    if (key !== field.name) bytes.push(...text(14, field.name));
  }
  return bytes.concat(...errors.map((one) => message(11, error(one))), ...children.map((child) => message(12, node(child))));
}

/** The message `Error`. */
function error({ message: words, locations, json }: TracedError): Bytes {
  const places = locations.flatMap(({ line, column }) => message(2, [...integer(1, line), ...integer(2, column)]));
  return [...text(1, words), ...places, ...text(4, json)];
}

/** A message inside another one, or what else has a length. */
function message(field: number, content: Bytes): Bytes {
  return varint(content.length, varint(field * 8 + 2)).concat(content);
}

const encoder = /* @__PURE__ */ new TextEncoder();
/** The names of fields and types of one trace, which recur. */
const encoded = new Map<string, Bytes>();

function text(field: number, value: string): Bytes {
  let bytes = encoded.get(value);
  if (bytes === undefined) encoded.set(value, (bytes = [...encoder.encode(value)]));
  return message(field, bytes);
}

/** 0 is the default, and is left out. */
function integer(field: number, value: number): Bytes {
  return value === 0 ? [] : varint(value, varint(field * 8));
}

/** Adds a number to the bytes before it: seven bits per byte, the lowest first. By division, because values may have more than 32 bits. */
function varint(value: number, bytes: number[] = []): number[] {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}
