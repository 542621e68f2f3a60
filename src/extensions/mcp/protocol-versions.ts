import { isRecord, textOfUTF8 } from '../../shared/index.ts';
import type { HeaderMap } from '../../shared/index.ts';
import { headerMismatch, invalidParams, RPCError, unsupportedVersion } from './messages.ts';
import type { Message } from './messages.ts';

/** The stateless version: each request names its version and capabilities. */
export const modernVersion = '2026-07-28';
/** Versions that begin with `initialize`, the newest first. A request without the header is served as the oldest. */
const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18'];

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** True for a request of version 2026-07-28. Throws an RPCError if its headers do not match its body. */
export function isModern({ method, params }: Message, headers: HeaderMap): boolean {
  const header = headers.get('mcp-protocol-version')?.trim();
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const version = meta[versionKey];
  if (version === undefined && header !== modernVersion) {
    if (header !== undefined && !legacyVersions.includes(header) && method !== 'initialize') throw unsupported(header);
    // The headers are optional in these versions, but a gateway may have used them.
    if (headers.has('mcp-method')) assertHeader(headers, 'Mcp-Method', method);
    if (headers.has('mcp-name') && method === 'tools/call') assertHeader(headers, 'Mcp-Name', params['name']);
    return false;
  }
  if (header === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (version !== undefined && header !== version) throw mismatch('MCP-Protocol-Version differs from _meta');
  if (header !== modernVersion) throw unsupported(header);
  assertHeader(headers, 'Mcp-Method', method);
  if (method === 'tools/call') assertHeader(headers, 'Mcp-Name', params['name']);
  if (version === undefined || !isRecord(meta[capabilitiesKey]))
    throw new RPCError(400, invalidParams, `Expected _meta with ${versionKey} and ${capabilitiesKey}.`);
  return true;
}

/** The version of the answer to `initialize`: that of the client, or the newest. */
export function negotiatedVersion({ params }: Message): string {
  const { protocolVersion } = params;
  if (typeof protocolVersion !== 'string') throw new RPCError(200, invalidParams, 'Expected protocolVersion to be a string.');
  return legacyVersions.includes(protocolVersion) ? protocolVersion : legacyVersions[0]!;
}

function assertHeader(headers: HeaderMap, name: string, expected: unknown): void {
  const value = headers.get(name.toLowerCase())?.trim();
  if (value === undefined) throw mismatch(`${name} is missing`);
  if (decoded(value) !== expected) throw mismatch(`${name} differs from the body`);
}

/** Decodes a text, or `=?base64?…?=`. Undefined if that is invalid. */
function decoded(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  try {
    const binary = atob(encoded);
    // Padding and the bits after the last byte may be wrong.
    if (btoa(binary) !== encoded) return undefined;
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return textOfUTF8(bytes);
  } catch {
    return undefined;
  }
}

function mismatch(what: string): RPCError {
  return new RPCError(400, headerMismatch, `${what}.`);
}

function unsupported(requested: string): RPCError {
  return new RPCError(400, unsupportedVersion, 'Unsupported protocol version', { supported: [modernVersion], requested });
}
