type Resolver = (...given: any[]) => unknown;

/** Ways in which libraries wrap a function. `around` runs in place of the function, and receives it with its arguments. */
export type WrapFunction = (resolve: Resolver, around: (resolve: Resolver, given: readonly any[]) => unknown) => Resolver;

const closure: WrapFunction =
  (resolve, around) =>
  (...given) =>
    around(resolve, given);

export const functionWrappers: Readonly<Record<string, WrapFunction>> = {
  'a closure': closure,
  'a proxy': (resolve, around) => new Proxy(resolve, { apply: (_, __, given) => around(resolve, given) }),
  'a function with its prototype': (resolve, around) => Object.setPrototypeOf(closure(resolve, around), resolve) as Resolver,
  'a function with its enumerable properties': (resolve, around) => Object.assign(closure(resolve, around), resolve),
  // mimic-function, which p-memoize and others use, wraps functions in this way.
  'a function with all of its properties': (resolve, around) => {
    const wrapper = closure(resolve, around);
    for (const key of Reflect.ownKeys(resolve))
      if (key !== 'length' && key !== 'prototype') Object.defineProperty(wrapper, key, Reflect.getOwnPropertyDescriptor(resolve, key)!);
    return Object.setPrototypeOf(wrapper, Object.getPrototypeOf(resolve) as object) as Resolver;
  },
  'a proxy of a proxy': (resolve, around) =>
    new Proxy(new Proxy(resolve, {}), { apply: (target, _, given) => around(target as Resolver, given) }),
};
