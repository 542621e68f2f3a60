import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { maySeeInfo } from '../../../src/extensions/edge/may-see-info.ts';
import { bindTo } from '../../../src/message/describe.ts';

const key = 'computed';
const methods = {
  plain(_: unknown, values: object) {
    return values;
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
};

const blind: Readonly<Record<string, (...given: never[]) => unknown>> = {
  'an arrow without parameters': () => 1,
  'an arrow with one bare name': (id) => id,
  'an asynchronous arrow': async (_: unknown, { id }: { id: string }) => id,
  'a function of three parameters': function (_: unknown, values: unknown, context: unknown) {
    return [values, context];
  },
  'a method': methods.plain,
  'a generator': methods.generator,
  'a method whose map was bound to it, as those of an instance are': bindTo(methods, methods.plain),
};

const seeing: Readonly<Record<string, (...given: never[]) => unknown>> = {
  'four parameters': (_: unknown, __: unknown, ___: unknown, info: unknown) => info,
  'a rest': (...all: unknown[]) => all,
  'a rest in a destructured parameter': methods.destructured,
  'a default': (_: unknown, __: unknown, ___: unknown, info = 1) => info,
  'a default before the third parameter': (_ = {}, values = {}) => values,
  arguments() {
    return arguments;
  },
  // oxlint-disable-next-line no-eval
  eval: () => eval('1'),
  'a function bound by its owner': methods.plain.bind(methods),
  'a native function': Math.max,
  'a method with a computed name': methods[key],
  'a proxy': new Proxy(methods.plain, {}),
};

describe('a resolver', () => {
  for (const [name, resolver] of Object.entries(blind))
    test(`does not see info: ${name}`, () => {
      assert.equal(maySeeInfo(resolver), false);
    });

  for (const [name, resolver] of Object.entries(seeing))
    test(`may see info: ${name}`, () => {
      assert.equal(maySeeInfo(resolver), true);
    });
});
