import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLError } from 'graphql';

import { Budget } from '../../src/executor/budget.ts';
import { workOf } from '../../src/executor/costs.ts';

const tooLarge = new GraphQLError('too large');

/** Limits of 100 characters and `freeWork` units. */
function limits({ freeWork = Infinity }) {
  const grow = (size: number): number => {
    if (size > 100) throw tooLarge;
    return 100;
  };
  return { free: 50, grow, freeWork, sizeOfWork: 10 };
}

test('a response above its limit ends the execution once, and any further growth throws the same error', () => {
  const ends: GraphQLError[] = [];
  const budget = new Budget(limits({}), (error) => ends.push(error));

  budget.grow(100);
  throws(() => budget.grow(1), tooLarge);
  throws(() => budget.grow(1), tooLarge);

  deepEqual(ends, [tooLarge]);
  equal(budget.exceededBy, tooLarge);
});

test('work counts toward the size once the free units are spent', () => {
  const budget = new Budget(limits({ freeWork: 5 }), () => undefined);

  budget.spend(15);

  throws(() => budget.spend(1), tooLarge);
});

test('an error above the limit of errors counts as work, and an error that many fields share counts once', () => {
  const ends: GraphQLError[] = [];
  const shared = { left: 0 };
  const budget = new Budget({ ...limits({ freeWork: workOf.error }), sharedErrors: shared }, (error) => ends.push(error));
  while (budget.takeError());
  const failure = new Error('all fail');

  budget.shareError(failure, () => {
    for (let field = 0; field < 1_000; field++) budget.countError(failure);
  });
  deepEqual(ends, []);
  budget.countError(new Error('another'));

  deepEqual(ends, [tooLarge]);
});

test('several parts are counted together or not at all', () => {
  const budget = new Budget(limits({}), () => undefined, 3);

  equal(budget.takeParts(2), true);
  equal(budget.takeParts(2), false);
  equal(budget.takeParts(1), true);
  equal(budget.takeParts(1), false);
});
