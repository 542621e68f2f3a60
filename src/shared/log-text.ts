import { isPlainObject } from './plain-object.ts';

/** Characters that end a line, or that a terminal obeys. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

/** The same text with control characters escaped as in JSON: a message that quotes a request must not forge lines of the log. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, escape);
}

function escape(character: string): string {
  const short = JSON.stringify(character).slice(1, -1);
  return short === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : short;
}

/** Levels of causes and properties that are copied. The console prints fewer. */
const maxDepth = 8;

/**
 * A value as the console may print it, which prints messages and stacks as they are. Errors, also those in causes, lists and properties,
 * are replaced by copies if they have control characters.
 */
export function printable(value: unknown): unknown {
  try {
    return escaped(value, maxDepth);
  } catch {
    // A getter or a proxy has thrown.
    return 'a value that cannot be read';
  }
}

function escaped(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return escapeControls(value);
  const isError = value instanceof Error;
  if (!isError && !Array.isArray(value) && !isPlainObject(value)) return value;
  if (depth === 0) return isError ? escapeControls(String(value)) : '[Object]';
  if (isError) return escapedError(value, depth);
  const entries = Object.entries(value).map(([key, inner]) => [escapeControls(key), inner, escaped(inner, depth - 1)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  return Array.isArray(value) ? entries.map(([, , after]) => after) : Object.fromEntries(entries.map(([key, , after]) => [key, after]));
}

/** Returns the error itself if it has nothing to escape. */
function escapedError(error: Error, depth: number): Error {
  const message = escapeControls(String(error.message));
  const name = escapeControls(String(error.name));
  const stack = escapedStack(error, `${name}: ${message}`);
  const cause = escaped(error.cause, depth - 1);
  // `errors` of an AggregateError is not enumerable, but consoles print it.
  const { errors } = error as { readonly errors?: unknown };
  const shown = escaped(Object.assign({}, error, Array.isArray(errors) && { errors }), depth - 1) as object;
  const isSame =
    message === error.message &&
    name === error.name &&
    stack === error.stack &&
    cause === error.cause &&
    Object.entries(shown).every(([key, inner]) => (error as unknown as Record<string, unknown>)[key] === inner);
  if (isSame) return error;
  const copy = Object.assign(new Error(message, cause === undefined ? {} : { cause }), shown, { message });
  return Object.defineProperties(copy, { name: { value: name }, stack: { value: stack } });
}

/**
 * The lines of a stack after the message are frames. In any other stack, such as that of an error whose message was changed, the end of the
 * message is unknown, so the stack becomes one line.
 */
function escapedStack({ name, message, stack }: Error, head: string): string {
  if (typeof stack !== 'string') return head;
  const raw = message === '' ? name : message;
  const start = stack.indexOf(raw);
  const end = start + raw.length;
  const isHead = start !== -1 && !stack.slice(0, start).includes('\n') && frames.test(stack.slice(end));
  return isHead ? `${escapeControls(stack.slice(0, end))}${stack.slice(end)}` : escapeControls(stack);
}

const frames = /^(?:\n +at [^\p{Cc}\u2028\u2029]*)*\n?$/u;
