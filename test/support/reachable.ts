/** Every object and function that is reachable through properties (including non-enumerable ones and symbols), prototypes and the entries of collections. */
export function reachableFrom(roots: readonly unknown[], except: ReadonlySet<object> = new Set()): Set<object> {
  const reached = new Set<object>();
  const open = [...roots];
  while (open.length > 0) {
    const value = open.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || reached.has(value) || except.has(value)) continue;
    reached.add(value);
    open.push(Object.getPrototypeOf(value));
    for (const { value: property, get, set } of Object.values(Object.getOwnPropertyDescriptors(value))) open.push(property, get, set);
    for (const symbol of Object.getOwnPropertySymbols(value)) open.push(Object.getOwnPropertyDescriptor(value, symbol)?.value);
    if (value instanceof Map) for (const entry of value) open.push(...(entry as [unknown, unknown]));
    if (value instanceof Set) open.push(...(value as Set<unknown>));
  }
  return reached;
}
