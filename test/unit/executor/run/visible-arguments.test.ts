import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInThisContext } from 'node:vm';

import { bindTo } from '../../../../src/shared/describe.ts';
import { resolverCall } from '../../../../src/executor/run/visible-arguments.ts';
import { runBoth } from '../../../support/differential/both-executors.ts';

const methods = {
  plain(_: unknown, values: object) {
    return values;
  },
};

type Resolver = (...given: never[]) => unknown;

/** Functions whose parameters are names and plain patterns, and which do not reach their `arguments`. */
const counted: readonly (readonly [name: string, visible: number, resolver: Resolver])[] = [
  ['an arrow function with no parameters', 0, () => 1],
  ['an arrow function with one bare name', 1, (id) => id],
  ['an arrow function with a pattern', 2, (_: unknown, { id, of: [first] }: { id: string; of: string[] }) => [id, first]],
  ['an arrow function with the `arguments` of the function around it', 1, arrowWithOuterArguments()],
  ['an arrow function with a trailing comma', 2, written('(one, two,) => one')],
  ['an arrow function with the name async', 1, written('async => async')],
  ['an arrow function with five parameters', 4, (_: unknown, __: unknown, ___: unknown, ____: unknown, more: unknown) => more],
  ['an arrow function with another length', 2, Object.defineProperty((_: unknown, values: unknown) => values, 'length', { value: 0 })],
  ['a method', 2, methods.plain],
  ['a method that a resolver map is bound to', 2, bindTo(methods, methods.plain)],
  ['a sloppy method', 1, written('{ sloppy({ id }) { return id; } }.sloppy')],
  [
    'a strict function with a name',
    0,
    function named() {
      return 1;
    },
  ],
  [
    'a strict function with a pattern',
    1,
    function ({ id }: { id: string }) {
      return id;
    },
  ],
  [
    'an asynchronous function',
    1,
    async function (_: unknown) {
      return _;
    },
  ],
  ['a method with the name async', 1, written('{ async(a) { return a } }.async')],
];

/** Resolvers that can read more arguments than they declare. */
const all: Readonly<Record<string, Resolver>> = {
  'an arrow function with a rest in a pattern': (_: unknown, { id, ...others }: { id: string }) => [id, others],
  'an arrow function with a default': (_: unknown, __: unknown, ___: unknown, info = 1) => info,
  'an arrow function with a default that is an arrow function': (_ = () => 1) => _,
  'an arrow function with a comment in the parameters': written('(a /* => */, ...b) => b'),
  'an arrow function with a text in a pattern': written('({ ") =>": a }, ...b) => b'),
  'a strict function that reads `arguments`': function (_: unknown) {
    // oxlint-disable-next-line prefer-rest-params -- the point of the test
    return arguments[3] as unknown;
  },
  'a strict function with an arrow function that reads its `arguments`': function (_: unknown) {
    // oxlint-disable-next-line prefer-rest-params -- the point of the test
    return () => arguments[3] as unknown;
  },
  'a function that names `arguments` with an escape': written('async function (a) { return \\u0061rguments[3] }'),
  'a function with a call of eval': written('async function (a) { return eval("argu" + "ments[3]") }'),
  'a method with a rest': written('{ rest(...given) { return given[3] } }.rest'),
  'a method with a default': written('{ preset(a, b = 1) { return b } }.preset'),
  'a method with a comment in the parameters': written('{ noted(a /* ) { */, ...b) { return b } }.noted'),
  'a generator': written('function* (a) { yield a }'),
  'a bound function': methods.plain.bind(methods),
  'a native function': Math.max as Resolver,
  'a function that is not strict': written('function (a) { return a }'),
  'a function whose default is an arrow function': written('function (a = (b) => b) { return a }'),
  'a proxy': new Proxy((_: unknown) => _, {}),
  'what is no function': {} as Resolver,
};

/** Creates a resolver from this source text, in sloppy mode. */
function written(text: string): Resolver {
  return runInThisContext(`(${text})`) as Resolver;
}

function arrowWithOuterArguments(...given: unknown[]): Resolver {
  void given;
  return (parent) => [parent, arguments];
}

describe('a resolver is called with', () => {
  for (const [name, visible, resolver] of counted)
    test(`${visible} arguments: ${name}`, () => {
      assert.equal(resolverCall(resolver).visible, visible);
    });

  for (const [name, resolver] of Object.entries(all))
    test(`all arguments: ${name}`, () => {
      const { visible, call } = resolverCall(resolver);

      assert.equal(visible, 4);
      assert.equal(call, resolver);
    });

  test('all arguments: an arrow function whose toString returns another text', () => {
    const resolver = Object.assign((...all: unknown[]) => all, { toString: () => '() => 1' });

    assert.equal(resolverCall(resolver).visible, 4);
  });
});

test('a resolver that gets fewer arguments has no `this`, as in graphql-js', async () => {
  function text(this: unknown): string {
    return String(this);
  }

  const { data } = await runBoth({ typeDefs: 'type Query { text: String }', functions: { Query: { text } }, text: '{ text }' });

  assert.deepEqual(data, { text: 'undefined' });
});

test('a method is called on the object that it is bound to, and an arrow function unbound', () => {
  const arrow = (): number => 1;
  const [boundArrow, boundMethod] = [bindTo(methods, arrow), bindTo(methods, methods.plain)];

  assert.equal(resolverCall(boundArrow).call, arrow);
  assert.equal(resolverCall(boundMethod).call, boundMethod);
});
