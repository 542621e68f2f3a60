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
