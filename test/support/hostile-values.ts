// oxlint-disable unicorn/no-thenable, no-sparse-arrays, typescript/no-extraneous-class -- values are hostile on purpose
import { GraphQLError } from 'graphql';

import type { Random } from './random.ts';

/** Resolver values that throw, give contradictory results or never end when they are read. The same seed gives the same values. */
export function hostileValue(random: Random, ordinary: () => unknown): unknown {
  // Created in advance, so that the values do not depend on the order of execution.
  const value = ordinary();
  if (random.chance(0.55)) return value;
  const made = random.pick(makers)(random, () => value);
  return random.chance(0.25) ? Promise.resolve().then(() => made) : made;
}

type Maker = (random: Random, ordinary: () => unknown) => unknown;

const broken = (what: string) => (): never => {
  throw new Error(`${what} broke`);
};

const makers: readonly Maker[] = [
  // Proxies: each trap in turn.
  (random, ordinary) => new Proxy(objectOf(ordinary()), { [random.pick(traps)]: broken('the trap') } as ProxyHandler<object>),
  (_, ordinary) => Object.freeze(objectOf(ordinary())),
  // Objects whose conversion to a string, a number or JSON throws.
  () => ({ [Symbol.toPrimitive]: broken('toPrimitive') }),
  () => ({ valueOf: broken('valueOf'), toString: broken('toString') }),
  () => ({ toJSON: broken('toJSON') }),
  () => ({ toJSON: () => 'another text' }),
  () => Object.create(null) as unknown,
  () => Symbol('odd'),
  () => 12n,
  () => new Date(Number.NaN),
  () => Number.NaN,
  () => () => 'a function',
  () => class {},
  () => new Map([['id', 1]]),
  // Getters.
  (_, ordinary) => Object.defineProperty(objectOf(ordinary()), 'id', { get: broken('the getter'), enumerable: true }),
  (_, ordinary) => Object.defineProperty(objectOf(ordinary()), '__typename', { get: broken('the type'), enumerable: true }),
  // Unpredictable thenables, including promises of a subclass.
  (_, ordinary) => ({ then: (resolve: (value: unknown) => void) => queueMicrotask(() => resolve(ordinary())) }),
  (_, ordinary) => ({
    then(resolve: (value: unknown) => void, reject: (reason: unknown) => void) {
      queueMicrotask(() => {
        resolve(ordinary());
        reject(new Error('twice'));
      });
    },
  }),
  () => ({ then: (_: unknown, reject: (reason: unknown) => void) => queueMicrotask(() => reject(new Error('later'))) }),
  (_, ordinary) => ({ then: (resolve: (value: unknown) => void) => resolve(ordinary()) }),
  () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error('at once')) }),
  () => ({ then: broken('then') }),
  () => Object.defineProperty({}, 'then', { get: broken('the getter of then') }),
  (_, ordinary) => new OwnPromise((resolve) => resolve(ordinary())),
  (_, ordinary) => new OwnPromise((resolve) => setImmediate(() => resolve(ordinary()))),
  () => OwnPromise.reject(new Error('of its own class')),
  // Errors.
  () => cyclicError(),
  () => Promise.reject(cyclicError()),
  (random) => Promise.reject(random.pick(thrown)()),
  (random) => new GraphQLError('on purpose', { extensions: random.pick(extensions)() }),
  (random) => Promise.reject(new GraphQLError('on purpose', { extensions: random.pick(extensions)() })),
  // Lists.
  () => [1, , 3],
  (_, ordinary) => new Set([ordinary(), ordinary()]),
  () => ({ [Symbol.iterator]: broken('the iterator') }),
  () => ({ [Symbol.iterator]: () => ({ next: broken('next') }) }),
  (_, ordinary) => ({ [Symbol.iterator]: () => [ordinary(), ordinary()][Symbol.iterator]() }),
  (_, ordinary) => breaksAtEnd([ordinary(), ordinary()]),
];

class OwnPromise<T> extends Promise<T> {}

const traps = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor', 'set'] as const;
const thrown = [() => undefined, () => null, () => 'a text', () => 7n, () => Symbol('thrown'), () => ({ message: 'no error' }), () => []];
const extensions = [
  () => ({ big: 7n }),
  () => ({ symbol: Symbol('odd') }),
  () => ({ code: 7n }),
  () => {
    const around: { self?: unknown } = {};
    around.self = around;
    return { around };
  },
  () => ({ at: new Date(Number.NaN), toJSON: 'no function' }),
  () => ({ inner: { toJSON: broken('toJSON') } }),
  () => ({ code: 'OK', undefined, nothing: null, fun: () => 1 }),
] as readonly (() => Record<string, unknown>)[];

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null && !(value instanceof Promise) ? value : { id: 1 };
}

function cyclicError(): Error {
  const error = new Error('round and round') as Error & { extensions?: unknown };
  error.cause = new Error('behind', { cause: error });
  return error;
}

function* breaksAtEnd(items: readonly unknown[]): Generator {
  yield* items;
  throw new Error('the generator broke');
}
