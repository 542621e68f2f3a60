/** Prints a value for an error message, in the form that graphql-js uses: its own function for that is private. */
export function inspect(value: unknown, around: readonly object[] = []): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return value.name === '' ? '[function]' : `[function ${value.name}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (around.includes(value)) return '[Circular]';
  const inside = [...around, value];
  const json = jsonOf(value);
  if (json !== value) return typeof json === 'string' ? json : inspect(json, inside);
  return Array.isArray(value) ? inspectList(value, inside) : inspectObject(value, inside);
}

/** Levels of objects and lists that are printed. */
const maxLevels = 2;
/** Items of a list that are printed. */
const maxItems = 10;

function jsonOf(value: object): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}

function inspectList(items: readonly unknown[], inside: readonly object[]): string {
  if (items.length === 0) return '[]';
  if (inside.length > maxLevels) return '[Array]';
  const printed = items.slice(0, maxItems).map((item) => inspect(item, inside));
  const more = items.length - maxItems;
  if (more > 0) printed.push(`... ${more} more ${more === 1 ? 'item' : 'items'}`);
  return `[${printed.join(', ')}]`;
}

function inspectObject(value: object, inside: readonly object[]): string {
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  if (inside.length > maxLevels) return `[${className(value)}]`;
  return `{ ${entries.map(([key, member]) => `${key}: ${inspect(member, inside)}`).join(', ')} }`;
}

function className(value: object): string {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const { name } = tag === 'Object' && typeof value.constructor === 'function' ? value.constructor : { name: '' };
  return typeof name === 'string' && name !== '' ? name : tag;
}
