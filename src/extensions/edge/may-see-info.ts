import { asWritten } from '../../message/describe.ts';

/**
 * True when a function may read its fourth argument, by its source text. False only for a list of at most three plain or
 * destructured parameters, with neither a default nor a rest, and no `arguments`. In doubt it is true.
 */
export function maySeeInfo(given: (...given: never[]) => unknown): boolean {
  const resolver = asWritten(given);
  // `length` counts the parameters before the first default or rest.
  if (resolver.length > 3) return true;
  const text = Function.prototype.toString.call(resolver);
  if (/\barguments\b|\beval\b/.test(text)) return true;
  const parameters = parametersIn(text);
  return parameters === undefined || /[=/'"`]|\.\.\./.test(parameters);
}

/** The text between the parentheses of the parameters, or before the arrow. */
function parametersIn(text: string): string | undefined {
  const single = /^(?:async\s+)?([\w$]+)\s*=>/.exec(text)?.[1];
  if (single !== undefined) return single;
  // A computed method name may have parentheses of its own.
  const head = /^[\w$\s*#]*\(/.exec(text)?.[0];
  if (head === undefined) return undefined;
  let depth = 1;
  for (let at = head.length; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return isNative(text) ? undefined : text.slice(head.length, at);
  }
  return undefined;
}

/** Bound functions and native functions hide their text. */
function isNative(text: string): boolean {
  return text.endsWith('{ [native code] }');
}
