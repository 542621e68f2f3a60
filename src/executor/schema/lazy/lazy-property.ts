/** Defines a property that is computed when first read and is an ordinary property from then on. */
export function defineLazy(object: object, name: string, compute: () => unknown): void {
  Object.defineProperty(object, name, {
    configurable: true,
    enumerable: true,
    get: () => settle(object, name, compute()),
    set: (value: unknown) => {
      settle(object, name, value);
    },
  });
}

function settle(object: object, name: string, value: unknown): unknown {
  Object.defineProperty(object, name, { configurable: true, enumerable: true, writable: true, value });
  return value;
}

/**
 * A record whose entries are created when read. Listing or changing entries uses the `whole` record. A Proxy, because getters for
 * 2,000 entries take a cold process some milliseconds.
 */
export function lazyRecord<T>(
  target: Record<string, T>,
  find: (name: string) => T | undefined,
  whole: () => Record<string, T>,
): Record<string, T> {
  const read = (_: unknown, name: string | symbol): T | undefined => (typeof name === 'string' ? find(name) : undefined);
  return new Proxy<Record<string, T>>(target, {
    get: read,
    has: (_, name) => read(_, name) !== undefined,
    getOwnPropertyDescriptor: (_, name) => {
      const value = read(_, name);
      return Reflect.getOwnPropertyDescriptor(target, name) ?? (value && { value, configurable: true, enumerable: true, writable: true });
    },
    ownKeys: () => Reflect.ownKeys(whole()),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(whole(), name, descriptor),
    deleteProperty: (_, name) => Reflect.deleteProperty(whole(), name),
    preventExtensions: () => Reflect.preventExtensions(whole()),
  });
}
