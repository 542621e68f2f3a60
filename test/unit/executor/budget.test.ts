import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';

import type { GraphQLError } from 'graphql';

import { Budget } from '../../../src/executor/budget.ts';
import { freeContainers, freeWork, workOf } from '../../../src/executor/costs.ts';

const limits = { capacity: { maxBytes: 100, carrier: 'a small platform' }, operations: 1 };
const tooLarge = /^The answer has about \d+ bytes.*, and a small platform carries 100 at most\. /;

test('a response above its limit ends the execution once, and any further growth throws the same error', () => {
  const ends: GraphQLError[] = [];
  const budget = new Budget(limits, (error) => ends.push(error));

  budget.grow(100);
  throws(() => budget.grow(1), tooLarge);
  throws(() => budget.grow(1), tooLarge);

  deepEqual(ends, [budget.exceededBy]);
});

test('work counts toward the size once the free units are spent', () => {
  const budget = new Budget(limits, () => undefined);

  budget.spend(freeWork + 100);

  throws(() => budget.spend(1), tooLarge);
});

test('an error above the limit of errors counts as work, and an error that many fields share counts once', () => {
  const ends: GraphQLError[] = [];
  const budget = new Budget(limits, (error) => ends.push(error));
  budget.spend(freeWork - workOf.error);
  while (budget.takeError());
  const failure = new Error('all fail');

  budget.shareError(failure, () => {
    for (let field = 0; field < 1_000; field++) budget.countError(failure);
  });
  deepEqual(ends, []);
  for (let at = 0; at < 4; at++) budget.countError(new Error('another'));

  deepEqual(ends, [budget.exceededBy]);
});

test('objects and lists count 64 characters more when the free ones are used up', () => {
  const budget = new Budget({ ...limits, capacity: { maxBytes: 200_000, carrier: 'a small platform' } }, () => undefined);
  for (let at = 0; at < freeContainers; at++) budget.growByContainer(1);

  for (let at = 0; at < 1_538; at++) budget.growByContainer(1);

  throws(() => budget.growByContainer(1), /about 200035 bytes/);
});

test('each operation of a batch has the same share of all limits', () => {
  const budget = new Budget({ ...limits, operations: 10 }, () => undefined);
  let errors = 0;
  while (budget.takeError()) errors++;

  budget.grow(10);

  equal(errors, 110);
  throws(() => budget.grow(1), /carries 100 at most for the 10 operations of the batch, each the same share\./);
});
