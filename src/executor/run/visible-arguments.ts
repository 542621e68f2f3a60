import { asWritten } from '../../shared/index.ts';
import { batchOf } from '../batch-mark.ts';
import type { BatchMark } from '../batch-mark.ts';

export type Resolver = (...given: any[]) => unknown;

/** The arguments of a resolver: parent, arguments of the field, context, info. */
export const allArguments = 4;

/** How to call a resolver. */
export interface ResolverCall {
  /** The number of leading arguments that the resolver needs. Later arguments are not created. The context is always passed. */
  readonly visible: number;
  /** The function to call: the unbound one if an arrow function was bound to its resolver map. */
  readonly call: Resolver;
  /** The mark of a batched resolver, which is called later, for many parents. Undefined for others. */
  readonly batch?: BatchMark;
}

const calls = new WeakMap<Resolver, ResolverCall>();

/** How to call a resolver. */
export function resolverCall(given: Resolver): ResolverCall {
  // The call then fails, as in graphql-js.
  if (typeof given !== 'function') return { visible: allArguments, call: given };
  let call = calls.get(given);
  if (call === undefined) calls.set(given, (call = readCall(given)));
  return call;
}

/** True when a resolver, or the function of a batched one, gets `info`. False without a resolver. */
export function seesInfo(resolver: Resolver | null | undefined): boolean {
  if (typeof resolver !== 'function') return false;
  const { visible, batch } = resolverCall(resolver);
  return (batch === undefined ? visible : resolverCall(batch.call).visible) === allArguments;
}

/**
 * Only an arrow function whose parameters are names and plain patterns gets fewer than all arguments: it has no `arguments`
 * object, so it sees only the parameters that it declares. They are counted in its text, because `length` can be redefined.
 */
function readCall(given: Resolver): ResolverCall {
  const batch = batchOf(given);
  if (batch !== undefined) return { visible: allArguments, call: given, batch };
  const call = asWritten(given);
  const [, name, list = name] = arrowFunction.exec(textOf.call(call)) ?? [];
  return list === undefined ? { visible: allArguments, call: given } : { visible: Math.min(allArguments, countParameters(list)), call };
}

/** A resolver may have a `toString` method. */
const textOf = Function.prototype.toString;

/** `a =>`, `(a, { b }) =>`, also with `async`. Defaults, rest parameters and comments do not match. */
const arrowFunction = /^(?:async\b\s*)?(?:([\w$]+)|\(([\w$\s,:{}[\]]*)\))\s*=>/;

function countParameters(list: string): number {
  let names = list;
  // Replaces the innermost patterns first.
  for (let before = ''; before !== names;) {
    before = names;
    names = names.replaceAll(/\{[^{}[\]]*\}|\[[^{}[\]]*\]/g, 'pattern');
  }
  return names.split(',').filter((name) => name.trim() !== '').length;
}
