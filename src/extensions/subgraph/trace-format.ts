import type { ExecutionTrace, TracedError, TraceNode } from './trace.ts';

/** A trace in base64: the message `Trace` of Apollo's protocol (reports.proto) in the encoding of Protocol Buffers. */
export function encodeTrace({ elapsed, startedAt, root }: ExecutionTrace): string {
  return btoa(
    message(3, time(startedAt + elapsed / 1e6)) +
      message(4, time(startedAt)) +
      integer(11, elapsed) +
      message(14, node(root)) +
      executionWeight,
  );
}

/**
 * A character for each byte. The engine joins texts when they are read: so a message is copied once, and not once for each message
 * around it.
 */
type Bytes = string;

/** field_execution_weight (31), the double 1: each execution counts once. */
const executionWeight: Bytes = '\xf9\x01\0\0\0\0\0\0\xf0\x3f';

/** The message `Timestamp`. */
function time(milliseconds: number): Bytes {
  const seconds = Math.floor(milliseconds / 1000);
  return integer(1, seconds) + integer(2, Math.round((milliseconds - seconds * 1000) * 1e6));
}

/** The message `Node`. */
function node({ key, field, errors, children }: TraceNode): Bytes {
  let bytes = '';
  if (typeof key === 'string') bytes += text(1, key);
  // Writes index 0, too, because an index says that the node is no field.
  else if (key !== undefined) bytes += varint(2 * 8) + varint(key);
  if (field !== undefined) {
    bytes += text(3, field.type) + integer(8, field.start) + integer(9, field.end) + text(13, field.parentType);
    if (key !== field.name) bytes += text(14, field.name);
  }
  for (const one of errors) bytes += message(11, error(one));
  for (const child of children) bytes += message(12, node(child));
  return bytes;
}

/** The message `Error`. */
function error({ message: words, locations, json }: TracedError): Bytes {
  const places = locations.map(({ line, column }) => message(2, integer(1, line) + integer(2, column)));
  return text(1, words) + places.join('') + text(4, json);
}

/** Writes a message inside another, or any other content with a length. */
function message(field: number, content: Bytes): Bytes {
  return varint(field * 8 + 2) + varint(content.length) + content;
}

const encoder = /* @__PURE__ */ new TextEncoder();

function text(field: number, value: string): Bytes {
  if (/^[\0-\x7f]*$/.test(value)) return message(field, value);
  const encoded = encoder.encode(value);
  let bytes = '';
  // Converts in steps, because a call has a limited number of arguments.
  for (let at = 0; at < encoded.length; at += 8192) bytes += String.fromCharCode(...encoded.subarray(at, at + 8192));
  return message(field, bytes);
}

/** 0 is the default, and is left out. */
function integer(field: number, value: number): Bytes {
  return value === 0 ? '' : varint(field * 8) + varint(value);
}

/** Seven bits per byte, the lowest first. By division, because values may have more than 32 bits. */
function varint(value: number): Bytes {
  return value < 128 ? String.fromCharCode(value) : String.fromCharCode((value % 128) + 128) + varint(Math.floor(value / 128));
}
