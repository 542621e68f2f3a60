import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInThisContext } from 'node:vm';

import { bindTo } from '../../src/message/describe.ts';
import { resolverCall } from '../../src/message/visible-arguments.ts';

const key = 'computed';
const methods = {
  plain(_: unknown, values: object) {
    return values;
  },
  async asynchronous(_: unknown, { id }: { id: string }, { user: [name] }: { user: string[] }) {
    return [id, name];
  },
  async(_: unknown) {
    return _;
  },
  async *generator(_: unknown, __: unknown, context: object) {
    yield context;
  },
  [key](_: unknown) {
    return _;
  },
  destructured(_: unknown, { id, ...others }: { id: string }) {
    return [id, others];
  },
  retrieval(_: unknown) {
    // oxlint-disable-next-line no-eval -- another way to see them
    return eval('_');
  },
  length(_: unknown) {
    return arguments.length;
  },
};

type Resolver = (...given: never[]) => unknown;

/** What resolvers can see of their four arguments. */
const seeing: readonly (readonly [name: string, visible: number, resolver: Resolver])[] = [
  ['an arrow without parameters', 0, () => 1],
  ['an arrow with one bare name', 1, (id) => id],
  ['an asynchronous arrow with one bare name', 1, async (id) => id],
  ['an arrow that is given a pattern', 2, (_: unknown, { id, of: [first] }: { id: string; of: string[] }) => [id, first]],
  ['an asynchronous arrow', 2, async (_: unknown, values: unknown) => values],
  ['an arrow with the arguments of the function around it', 1, arrowWithOuterArguments()],
  [
    'a strict function',
    3,
    function (_: unknown, values: unknown, context: unknown) {
      return [values, context];
    },
  ],
  ['a method', 2, methods.plain],
  ['an asynchronous method', 3, methods.asynchronous],
  ['a method named async', 1, methods.async],
  ['a method that a resolver map is bound to', 2, bindTo(methods, methods.plain)],
  ['a trailing comma', 2, written('(one, two,) => one')],
  ['four parameters', 4, (_: unknown, __: unknown, ___: unknown, info: unknown) => info],
  ['five', 4, (_: unknown, __: unknown, ___: unknown, ____: unknown, more: unknown) => more],
];

/** Resolvers that may see more than their text says: they are given everything. */
const doubtful: Readonly<Record<string, Resolver>> = {
  'a rest': (...all: unknown[]) => all,
  'a rest in a pattern': methods.destructured,
  'a default': (_: unknown, __: unknown, ___: unknown, info = 1) => info,
  'a default that is an arrow': (_ = () => 1) => _,
  'a function with `arguments`': methods.length,
  'a function with `eval`': methods.retrieval,
  'an escape that spells `arguments`': written('(() => { "use strict"; return function (a) { return argum\\u0065nts } })()'),
  'a function that is not strict': written('function (a) { return a }'),
  'a comment in the parameters': written('(a /* => */, ...b) => b'),
  'a text in a pattern': written('({ ") =>": a }, ...b) => b'),
  'a function bound by its owner': methods.plain.bind(methods),
  'a native function': Math.max,
  'a generator': methods.generator,
  'a method with a computed name': methods[key],
  'a proxy': new Proxy(methods.plain, {}),
  'a class': Map as unknown as Resolver,
};

/** A resolver whose text is just this, in code that is not strict. */
function written(text: string): Resolver {
  return runInThisContext(`(${text})`) as Resolver;
}

function arrowWithOuterArguments(...given: unknown[]): Resolver {
  void given;
  return (parent) => [parent, arguments];
}

describe('a resolver sees', () => {
  for (const [name, visible, resolver] of seeing)
    test(`${visible} of its arguments: ${name}`, () => {
      assert.equal(resolverCall(resolver).visible, visible);
    });

  for (const [name, resolver] of Object.entries(doubtful))
    test(`all of its arguments in doubt: ${name}`, () => {
      const { visible, call } = resolverCall(resolver);

      assert.equal(visible, 4);
      assert.equal(call, resolver);
    });

  test('its own text, whatever its toString says', () => {
    const resolver = Object.assign((...all: unknown[]) => all, { toString: () => '() => 1' });

    assert.equal(resolverCall(resolver).visible, 4);
  });
});

test('a method is called on what it is bound to, an arrow as it was written', () => {
  const arrow = (): number => 1;
  const [boundArrow, boundMethod] = [bindTo(methods, arrow), bindTo(methods, methods.plain)];

  assert.equal(resolverCall(boundArrow).call, arrow);
  assert.equal(resolverCall(boundMethod).call, boundMethod);
});
