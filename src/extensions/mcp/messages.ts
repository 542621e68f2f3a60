import { isRecord } from '../../shared/index.ts';

/** A request or notification of JSON-RPC 2.0. */
export interface Message {
  /** Undefined if the message is a notification, which gets no answer. */
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

// Codes of JSON-RPC 2.0 (section 5.1), as constants because bundlers inline them.
export const parseError = -32_700;
const invalidRequest = -32_600;
export const methodNotFound = -32_601;
export const invalidParams = -32_602;
export const internalError = -32_603;
// Codes of MCP 2026-07-28.
export const headerMismatch = -32_020;
export const unsupportedVersion = -32_022;

/** A refusal, thrown by any step. */
export class RPCError extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: object | undefined;

  constructor(status: number, code: number, message: string, data?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** Reads a message from JSON. Throws an RPCError unless it is one request or notification. */
export function readMessage(json: unknown): Message {
  if (!isRecord(json)) throw invalid('Expected one JSON-RPC request as an object. Batches are not supported.');
  const { jsonrpc, id, method, params = {} } = json;
  if (jsonrpc !== '2.0') throw invalid('Expected jsonrpc to be "2.0".');
  if (typeof method !== 'string') throw invalid('Expected a request with a method.');
  if (id !== undefined && !isID(id)) throw invalid('Expected id to be a string or an integer.');
  if (!isRecord(params)) throw invalid('Expected params to be an object.');
  return { id, method, params };
}

/** The id of a request that is refused, as far as it can be read. */
export function idOf(json: unknown): string | number | undefined {
  return isRecord(json) && isID(json['id']) ? json['id'] : undefined;
}

function isID(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function invalid(message: string): RPCError {
  return new RPCError(400, invalidRequest, message);
}
