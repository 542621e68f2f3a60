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

/** Causes of causes that are looked at. */
const maxDepth = 4;

/**
 * An error as the console may print it. It prints messages as they are: an error whose message has control characters, or its cause's,
 * is replaced by a copy with escaped messages. Loggers get the error itself, which they write as data.
 */
export function printable(value: unknown, depth = 0): unknown {
  if (!(value instanceof Error) || depth === maxDepth) return value;
  const message = escapeControls(value.message);
  const cause = printable(value.cause, depth + 1);
  if (message === value.message && cause === value.cause) return value;
  const copy = Object.assign(new Error(message, cause === undefined ? {} : { cause }), value);
  copy.message = message;
  copy.name = value.name;
  copy.stack = value.stack?.replace(value.message, () => message) ?? message;
  return copy;
}
