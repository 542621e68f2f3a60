/** New query parameters from an object, pairs, text or a URLSearchParams. Undefined and null are omitted, arrays repeat the parameter. */
export function toSearchParams(source: object | string | undefined): URLSearchParams {
  if (source === undefined || source === null) return new URLSearchParams();
  if (typeof source === 'string') return new URLSearchParams(source);

  const params = new URLSearchParams();
  const pairs = Symbol.iterator in source ? (source as Iterable<[string, unknown]>) : Object.entries(source);
  for (const [name, value] of pairs) appendParam(params, name, value);
  return params;
}

function appendParam(params: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && initNames.has(name)) assertNoInit(name, value);
  if (!Array.isArray(value)) {
    params.append(name, toText(name, value));
    return;
  }
  for (const item of value) {
    if (item !== undefined && item !== null) params.append(name, toText(name, item));
  }
}

const initNames = new Set(['params', 'headers', 'body', 'signal', 'cacheOptions']);

/** Refuses options in place of parameters, in production, too: this keeps tokens out of URLs, and so out of logs. */
function assertNoInit(name: string, value: object): void {
  if (value instanceof Date || (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item instanceof Date))) return;
  throw new TypeError(
    `"${name}" contains an object and would be written into the URL: the second argument of get, head and delete is the query parameters alone. ` +
      'Write get(path, params, { headers, … })',
  );
}

/** The text of a value: dates as ISO text, other objects if they have a `toString` method. */
function toText(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  if (text !== '[object Object]') return text;
  throw new TypeError(
    `The query parameter "${name}" is an object, which has no form in a URL. Pass its fields as separate parameters, or JSON.stringify(value).`,
  );
}
