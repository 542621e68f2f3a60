import { describe, isPromiseLike, originalOf, sha256 } from '../../shared/index.ts';
import type { RequestCall } from '../../server/index.ts';
import { identityText } from '../stores/index.ts';
import type { Identity } from '../stores/index.ts';
import type { BudgetOptions } from './options.ts';

/** Whose points an operation takes. */
export interface Client {
  readonly policy: 'default' | 'anonymous';
  /** The id of the client's bucket. */
  readonly id: string;
}

/**
 * Returns the client with an identity from the option `identity`, or the anonymous client for null. Returns undefined if anonymous clients
 * have no points, or if this client has no address.
 */
export function clientOf(
  { prefix = 'budget:', store, anonymous, clientAddress: given }: BudgetOptions,
  call: RequestCall,
  identity: Identity,
): Client | undefined {
  // Identities may be secret, such as keys of an API. In the memory of this process they are anyway.
  const idOf = (policy: Client['policy'], name: string): string =>
    prefix + policy + ':' + (store.isInMemory === true ? name : hashOf(name));
  if (identity !== undefined && identity !== null)
    return { policy: 'default', id: idOf('default', assertText('identity', identityText(identity))) };
  if (anonymous === undefined) return undefined;
  const original = originalOf(call);
  const address = given === undefined ? original.clientAddress : given(original);
  if (address) return { policy: 'anonymous', id: idOf('anonymous', networkOf(assertText('clientAddress', address))) };
  call.logger.warn('The platform reports no address of an anonymous client: set clientAddress of budget. Its operation was refused.');
  return undefined;
}

/** An empty address is unknown, but an empty identity is a mistake: all clients would share it. */
function assertText(option: 'identity' | 'clientAddress', text: unknown): string {
  if (typeof text === 'string' && text !== '') return text;
  if (isPromiseLike(text)) Promise.resolve(text).catch(() => {});
  throw new TypeError(
    `Expected ${option} of budget to return a string${option === 'identity' ? ' or a number' : ''}, or undefined if it is unknown, got ${describe(text)}.`,
  );
}

/** Names that differ only in lone surrogates are the same text in UTF-8, which hashes read. */
function hashOf(name: string): string {
  return /\p{Surrogate}/u.test(name) ? `${sha256(JSON.stringify(name))}-` : sha256(name);
}

/**
 * An IPv4 address, also inside IPv6, or the first 64 bits of an IPv6 address: a household, and every server, has at least so many (RFC 6177).
 * Some proxies add the port, CloudFront without brackets around an IPv6 address.
 */
function networkOf(address: string): string {
  const text = address.toLowerCase().replaceAll(/^\[|%.*|\].*/g, '');
  const ipv4 = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(text)?.[1];
  if (ipv4 !== undefined || !text.includes(':')) return ipv4 ?? text;
  const groups = groupsOf(text);
  const prefix = groups.slice(0, 6).join(':');
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isInside = ipv4Prefixes.includes(prefix) && (prefix !== '0:0:0:0:0:0' || high > 0);
  return isInside ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : groups.slice(0, 4).join(':');
}

/** IPv4 in IPv6: mapped, translated and compatible addresses, and NAT64 (RFC 4291, 2765, 6052). */
const ipv4Prefixes: readonly string[] = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0', '64:ff9b:0:0:0:0'];

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(text: string): readonly string[] {
  const hexadecimal = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail] = hexadecimal.split('::').map((groups) => (groups === '' ? [] : groups.split(':')));
  // A port would move the interface into the network. No shortest form of an address has five groups after `::` behind others.
  if (tail !== undefined && tail.length > 4 && /^[1-9]\d{3,4}$/.test(tail.at(-1)!)) tail.pop();
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16).toString(16));
}
