import { isRecord } from '../../shared/index.ts';

/** Further parameters are ignored, as in Express. */
const maxParameters = 1000;

/**
 * A query string as Express's handlers see it: a name given twice is a list, `name[key]=value` an entry of an object.
 * Only one level, which is enough for GraphQL.
 */
export function parseQuery(queryString: string): Record<string, any> {
  const query: Record<string, unknown> = {};
  if (queryString === '') return query;
  for (const pair of queryString.split('&', maxParameters)) {
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = decode(at < 0 ? '' : pair.slice(at + 1));
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    if (name !== '') add(query, outer ?? name, outer === undefined ? value : inner === '' ? [value] : { [inner!]: value });
  }
  return query;
}

function add(query: Record<string, unknown>, name: string, value: unknown): void {
  // No parameter may reach an object's prototype.
  if (name in Object.prototype) return;
  const present = query[name];
  if (present === undefined) query[name] = value;
  else if (isRecord(present) && isRecord(value)) query[name] = { ...present, ...value };
  else query[name] = [present, value].flat();
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
