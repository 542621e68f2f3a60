import { asWritten } from './describe.ts';

/** A resolver, or any other function. */
export type Resolver = (...given: any[]) => unknown;

/** The arguments of a resolver: parent, arguments of the field, context, info. */
export const allArguments = 4;

/** How a resolver may be called. */
export interface ResolverCall {
  /** How many of its arguments it can see, from the first on. The others need not be made: nobody can tell. */
  readonly visible: number;
  /** What to call: an arrow function has no use for the object that a resolver map binds it to. */
  readonly call: Resolver;
}

const calls = new WeakMap<Resolver, ResolverCall>();

/** How a resolver may be called. */
export function resolverCall(given: Resolver): ResolverCall {
  let call = calls.get(given);
  if (call === undefined) calls.set(given, (call = readCall(given)));
  return call;
}

/**
 * Reads the text of a resolver, because `length` leaves out parameters with a default and the rest. A function with a body of its own must
 * not say `arguments` or `eval`, nor have an escape that could spell them; a function that is not strict also shows its arguments to
 * others. Where the text leaves a doubt, and where there is none, as of native functions, the resolver sees all of them.
 */
function readCall(given: Resolver): ResolverCall {
  const resolve = asWritten(given);
  const text = textOf.call(resolve);
  const [, alone, list, arrow] = head.exec(text) ?? [];
  if (alone !== undefined) return { visible: 1, call: resolve };
  if (list === undefined) return { visible: allArguments, call: given };
  const visible = Math.min(allArguments, countParameters(list));
  if (arrow !== undefined) return { visible, call: resolve };
  const tellsAll = /arguments|eval|\\u|\[native code\]/.test(text) || Object.hasOwn(resolve, 'arguments');
  return { visible: tellsAll ? allArguments : visible, call: given };
}

/** A resolver may have a `toString` of its own. */
const textOf = Function.prototype.toString;

/** `a =>`, `(a, { b }) =>`, `name(a, b)`, `function (a)`, each also asynchronous. Parameters with a default, a rest, or a comment do not match. */
const head = /^(?:async\s+)?(?:([\w$]+)\s*=>|(?:function\s*)?[\w$]*\s*\(([\w$\s,:{}[\]]*)\)\s*(=>)?)/;

function countParameters(list: string): number {
  let names = list;
  // From the inside out.
  for (let before = ''; before !== names;) {
    before = names;
    names = names.replaceAll(/\{[^{}[\]]*\}|\[[^{}[\]]*\]/g, 'pattern');
  }
  return names.split(',').filter((name) => name.trim() !== '').length;
}
