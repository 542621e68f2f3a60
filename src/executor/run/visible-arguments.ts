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
  /** The function to call, without `this`: the unbound one if an arrow function was bound to its resolver map. */
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
 * A function whose parameters are names and plain patterns sees only these, unless it can reach its `arguments` object: an arrow function
 * has none, and other functions must name it, `eval`, or be sloppy, when others can read their property `arguments`. The parameters are
 * counted in its text, because `length` can be redefined.
 */
function readCall(given: Resolver): ResolverCall {
  const batch = batchOf(given);
  if (batch !== undefined) return { visible: allArguments, call: given, batch };
  const original = asWritten(given);
  const text = textOf.call(original);
  const [, name, list = name] = arrowFunction.exec(text) ?? [];
  if (list !== undefined) return { visible: countParameters(list), call: original };
  const [, parameters] = otherFunction.exec(text) ?? [];
  const seesAll = parameters === undefined || Object.hasOwn(original, 'arguments') || reachesArguments.test(text);
  return { visible: seesAll ? allArguments : countParameters(parameters), call: given };
}

/** A resolver may have a `toString` method. */
const textOf = Function.prototype.toString;

/** `a =>`, `(a, { b }) =>`, also with `async`. Defaults, rest parameters and comments do not match. */
const arrowFunction = /^(?:async\b\s*)?(?:([\w$]+)|\(([\w$\s,:{}[\]]*)\))\s*=>/;

/** `function (a) {`, `name(a, { b }) {`, also with `async`. */
const otherFunction = /^(?:async\b\s*)?(?:function\b\s*)?[\w$]*\s*\(([\w$\s,:{}[\]]*)\)\s*\{/;

/** Names may be written with escapes. The text of a bound or native function does not show its parameters. */
const reachesArguments = /\b(?:arguments|eval)\b|\\u|\[native code\]/;

function countParameters(list: string): number {
  let names = list;
  // Replaces the innermost patterns first.
  for (let before = ''; before !== names;) {
    before = names;
    names = names.replaceAll(/\{[^{}[\]]*\}|\[[^{}[\]]*\]/g, 'pattern');
  }
  return Math.min(allArguments, names.split(',').filter((name) => name.trim() !== '').length);
}
