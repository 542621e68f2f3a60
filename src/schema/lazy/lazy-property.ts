/**
 * Gives an object a property that is computed when it is first read, and is an ordinary one from then on.
 * Its place among the object's keys does not change, and it can be assigned like any other.
 */
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
 * A record that is asked for single entries, each made when it is read. Whoever lists or changes the entries gets the `whole` of them,
 * in their order. A Proxy, because a property with a getter for each of 2,000 entries takes a cold process some milliseconds.
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
    set: (_, name, value) => Reflect.set(whole(), name, value),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(whole(), name, descriptor),
    deleteProperty: (_, name) => Reflect.deleteProperty(whole(), name),
    preventExtensions: () => Reflect.preventExtensions(whole()),
  });
}
