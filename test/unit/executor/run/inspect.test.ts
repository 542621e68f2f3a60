import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { locatedError } from 'graphql';

import { inspect } from '../../../../src/executor/run/inspect.ts';

class Money {
  readonly amount = 5;
}

const circular: Record<string, unknown> = { a: 1 };
circular['self'] = circular;

const values: readonly unknown[] = [
  null,
  5n,
  '"quoted"',
  Symbol('s'),
  function named() {},
  () => {},
  {},
  [],
  new Money(),
  [
    [
      [
        { constructor: { name: 5 }, x: 1 },
        { constructor: 'none', x: 1 },
      ],
    ],
  ],
  { a: { b: { c: { d: 1 }, e: [1], f: new Money(), g: {}, h: [] } } },
  Array.from({ length: 11 }, (_, at) => at),
  Array.from({ length: 12 }, (_, at) => ({ at })),
  [[[[1]]]],
  circular,
  { toJSON: () => ({ inner: [1] }) },
  Object.create(null),
  { a: { b: { c: Object.assign(Object.create(null), { x: 1 }), m: Object.assign(new Map(), { x: 1 }) } } },
];

/** Returns the text that graphql-js prints for a thrown value that is not an error. */
function printed(value: unknown): string {
  return locatedError(value, [], []).message.slice('Unexpected error value: '.length);
}

test('prints values as graphql-js does', () => {
  for (const value of values) equal(inspect(value), printed(value));
});
