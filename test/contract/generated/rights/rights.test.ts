import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cases } from '../../../support/long-form.ts';
import { authorization, needsAuthorization } from './authorization.ts';
import { createTrial, problemsOf, sendingsOf } from './cases.ts';
import type { Trial } from './cases.ts';
import { doors } from './doors.ts';
import type { Door } from './doors.ts';
import type { CreateRights } from './serving.ts';
import { holes, simpleRights } from './simple-decision.ts';
import type { Hole } from './simple-decision.ts';

interface Count {
  sent: number;
  refused: number;
}

/** Sends all cases of a schema, until one is answered wrongly. */
async function findProblem(trial: Trial, used: readonly Door[], count: Count = { sent: 0, refused: 0 }): Promise<string | undefined> {
  for (const { door, sent } of sendingsOf(trial, (at) => used[(at + trial.seed) % used.length]!)) {
    const [problem] = await problemsOf(trial, sent, door);
    if (problem !== undefined) return problem;
    count.sent += sent.length;
    count.refused += sent.filter(({ expected }) => expected !== undefined).length;
  }
  return undefined;
}

/** Sends at least this number of operations, with new schemas. */
async function sendOperations(
  least: number,
  createRights: CreateRights,
  { used, seed }: { readonly used: readonly Door[]; readonly seed: number },
): Promise<{ readonly problems: readonly string[]; readonly count: Count }> {
  const problems: string[] = [];
  const count = { sent: 0, refused: 0 };
  for (let at = seed; count.sent < least && problems.length < 3; at++) {
    const problem = await findProblem(createTrial(at, createRights, used), used, count);
    if (problem !== undefined) problems.push(problem);
  }
  return { problems, count };
}

describe('the reference', () => {
  let hole: Hole | undefined;
  const trials: Trial[] = [];
  /** Looks for an answer that is wrong because of a mistake. Every hole shows in one of 15 schemas, which have 700 cases. */
  const findHole = async (next: Hole | undefined, schemas: number): Promise<string | undefined> => {
    for (let at = 0; at < schemas; at++) {
      hole = undefined;
      const trial = (trials[at] ??= createTrial(
        at + 1,
        simpleRights(() => hole),
        doors,
      ));
      hole = next;
      const problem = await findProblem(trial, doors);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

  const schemas = cases({ short: 3, long: 15 });

  it('agrees with a simple decision', async () => {
    const before = await findHole(undefined, schemas);
    const { problems, count } = await sendOperations(cases({ short: 1, long: 20_000 }), simpleRights(), { used: doors, seed: 1_000 });

    assert.deepEqual([before, problems], [undefined, []]);
    assert.ok(count.refused > count.sent / 3 && count.refused < (count.sent * 4) / 5, `${count.refused} of ${count.sent} are refused`);
  });

  for (const name of holes.slice(0, cases({ short: 9, long: holes.length })))
    it(`finds this hole in a decision: ${name}`, async () => {
      assert.notEqual(await findHole(name, schemas), undefined);
    });
});

describe('authorization()', needsAuthorization, () => {
  // Together in the short form, because most of the time is spent on creating schemas.
  const tested = cases({ short: 0, long: 1 }) > 0 ? doors.map((door) => [door]) : [doors];
  for (const [at, used] of tested.entries()) {
    const least = cases({ short: 700, long: used[0]!.name === 'POST' ? 100_000 : 10_000 });
    it(`refuses if and only if a right is missing: ${least} operations by ${used.map(({ name }) => name).join(', ')}`, async () => {
      const { problems } = await sendOperations(least, authorization!, { used, seed: 1_000_000 * (at + 1) });

      assert.deepEqual(problems, []);
    });
  }
});
