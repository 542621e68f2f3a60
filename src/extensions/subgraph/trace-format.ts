import type { ExecutionTrace, TracedError, TraceNode } from './trace.ts';

/** A trace in base64: the message `Trace` of Apollo's protocol (reports.proto) in the encoding of Protocol Buffers. */
export function encodeTrace(trace: ExecutionTrace): string {
  const { elapsed, startedAt } = trace;
  const writer = new BackwardWriter();
  // field_execution_weight: each execution counts once.
  writer.double(31, 1);
  writer.message(14, () => writeNode(writer, trace.root));
  writer.integer(11, elapsed);
  writer.message(4, () => writeTime(writer, startedAt));
  writer.message(3, () => writeTime(writer, startedAt + elapsed / 1e6));
  return toBase64(writer.bytes());
}

/** The message `Timestamp`. */
function writeTime(writer: BackwardWriter, milliseconds: number): void {
  const seconds = Math.floor(milliseconds / 1000);
  writer.integer(2, Math.round((milliseconds - seconds * 1000) * 1e6));
  writer.integer(1, seconds);
}

/** The message `Node`. */
function writeNode(writer: BackwardWriter, { key, field, errors, children }: TraceNode): void {
  for (const child of children.toReversed()) writer.message(12, () => writeNode(writer, child));
  for (const error of errors.toReversed()) writer.message(11, () => writeError(writer, error));
  if (field !== undefined) {
    if (key !== field.name) writer.text(14, field.name);
    writer.text(13, field.parentType);
    writer.integer(9, field.end);
    writer.integer(8, field.start);
    writer.text(3, field.type);
  }
  // Index 0 must be written, because it says that this is not a field.
  if (typeof key === 'number') writer.integer(2, key, true);
  else if (key !== undefined) writer.text(1, key);
}

/** The message `Error`. */
function writeError(writer: BackwardWriter, { message, locations, json }: TracedError): void {
  writer.text(4, json);
  for (const { line, column } of locations.toReversed()) {
    writer.message(2, () => {
      writer.integer(2, column);
      writer.integer(1, line);
    });
  }
  writer.text(1, message);
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Writes messages from their end to their start: the length of a message is before it, and known after it is written. */
class BackwardWriter {
  #buffer = new Uint8Array(1024);
  #start = 1024;

  bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start);
  }

  /** A message, or what else has a length. */
  message(field: number, write: () => void): void {
    const end = this.#buffer.length - this.#start;
    write();
    this.#varint(this.#buffer.length - this.#start - end);
    this.#varint(field * 8 + 2);
  }

  text(field: number, text: string): void {
    this.message(field, () => this.#put(encoder.encode(text)));
  }

  /** 0 is the default and is left out, unless `always` is true. */
  integer(field: number, value: number, always = false): void {
    if (value === 0 && !always) return;
    this.#varint(value);
    this.#varint(field * 8);
  }

  double(field: number, value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#put(bytes);
    this.#varint(field * 8 + 1);
  }

  /** Seven bits per byte, the lowest first. By division, because values may have more than 32 bits. */
  #varint(value: number): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
    this.#put(bytes);
  }

  #put(bytes: ArrayLike<number>): void {
    if (bytes.length > this.#start) this.#enlarge(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
  }

  #enlarge(needed: number): void {
    const written = this.bytes();
    const larger = new Uint8Array((this.#buffer.length + needed) * 2);
    this.#start = larger.length - written.length;
    larger.set(written, this.#start);
    this.#buffer = larger;
  }
}

/** Standard base64 with padding. In steps, because a call has a limited number of arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
