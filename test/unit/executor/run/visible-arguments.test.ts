import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInThisContext } from 'node:vm';

import { bindTo } from '../../../../src/shared/describe.ts';
import { resolverCall } from '../../../../src/executor/run/visible-arguments.ts';

const methods = {
  plain(_: unknown, values: object) {
    return values;
  },
};

type Resolver = (...given: never[]) => unknown;

/** Arrow functions whose parameters are names and plain patterns. */
const counted: readonly (readonly [name: string, visible: number, resolver: Resolver])[] = [
  ['no parameters', 0, () => 1],
  ['one bare name', 1, (id) => id],
  ['a pattern', 2, (_: unknown, { id, of: [first] }: { id: string; of: string[] }) => [id, first]],
  ['the `arguments` of the function around it', 1, arrowWithOuterArguments()],
  ['a trailing comma', 2, written('(one, two,) => one')],
  ['the name async', 1, written('async => async')],
  ['five parameters', 4, (_: unknown, __: unknown, ___: unknown, ____: unknown, more: unknown) => more],
  ['another length', 2, Object.defineProperty((_: unknown, values: unknown) => values, 'length', { value: 0 })],
];

/** Resolvers that can read more arguments than they declare. */
const all: Readonly<Record<string, Resolver>> = {
  'an arrow function with a rest in a pattern': (_: unknown, { id, ...others }: { id: string }) => [id, others],
  'an arrow function with a default': (_: unknown, __: unknown, ___: unknown, info = 1) => info,
  'an arrow function with a default that is an arrow function': (_ = () => 1) => _,
  'an arrow function with a comment in the parameters': written('(a /* => */, ...b) => b'),
  'an arrow function with a text in a pattern': written('({ ") =>": a }, ...b) => b'),
  'a method': methods.plain,
  'a method that a resolver map is bound to': bindTo(methods, methods.plain),
  'an asynchronous function': async function (_: unknown) {
    return _;
  },
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
    test(`${visible} arguments: an arrow function with ${name}`, () => {
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

test('a method is called on the object that it is bound to, and an arrow function unbound', () => {
  const arrow = (): number => 1;
  const [boundArrow, boundMethod] = [bindTo(methods, arrow), bindTo(methods, methods.plain)];

  assert.equal(resolverCall(boundArrow).call, arrow);
  assert.equal(resolverCall(boundMethod).call, boundMethod);
});
