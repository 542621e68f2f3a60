import { describe, isPromiseLike, sha256 } from '../../shared/index.ts';
import { clientAddress, originalOf } from '../../server/for-extensions.ts';
import type { RequestCall } from '../../server/index.ts';
import type { BudgetOptions } from './options.ts';

/** Whose points an operation takes. */
export interface Client {
  readonly policy: 'default' | 'anonymous';
  /** The id of its bucket. */
  readonly id: string;
}

/** The client with the identity that `identity` of the options has returned; the anonymous one for null; undefined if it has no address. */
export function clientOf(
  { prefix = 'budget:', store, clientAddress: given }: BudgetOptions,
  call: RequestCall,
  identity: string | null | undefined,
): Client | undefined {
  // Identities may be secret, such as keys of an API. In the memory of this process they are anyway.
  const idOf = (policy: Client['policy'], name: string): string =>
    prefix + policy + ':' + (store.isInMemory === true ? name : sha256(name));
  if (identity !== undefined && identity !== null) return { policy: 'default', id: idOf('default', assertIdentity(identity)) };
  const original = originalOf(call);
  const address = given === undefined ? clientAddress(original.invocation, original.request.headers) : given(original);
  return address ? { policy: 'anonymous', id: idOf('anonymous', networkOf(assertAddress(address))) } : undefined;
}

function assertIdentity(identity: unknown): string {
  if (typeof identity === 'string' && identity !== '') return identity;
  throw new TypeError(`Expected identity of budget to return a string, or undefined for an anonymous client, got ${describe(identity)}.`);
}

function assertAddress(address: unknown): string {
  if (typeof address === 'string') return address;
  if (isPromiseLike(address)) Promise.resolve(address).catch(() => {});
  throw new TypeError(`Expected clientAddress of budget to return a string, got ${describe(address)}.`);
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: a household, and every server, has at least so many (RFC 6177). */
function networkOf(address: string): string {
  const text = address.toLowerCase().split('%', 1)[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined || !text.includes(':')) return mapped ?? text;
  const [head = '', tail] = text.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end takes the place of two groups.
  const missing = tail === undefined ? 0 : 8 - groups.length - last.length - (text.includes('.') ? 1 : 0);
  const all = [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...last];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
