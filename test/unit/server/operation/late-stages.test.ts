import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import type { OperationOutcome, ServerPlugin } from '../../../../src/entries/index.ts';
import { quiet } from '../../../support/clock.ts';
import { deferred } from '../../../support/deferred.ts';
import { json } from '../../../support/plain-http.ts';
import { noting, respondAtDeadline } from '../../../support/stage-server.ts';
import { after } from '../../../support/stages.ts';

const wrapping = (execution: NonNullable<ServerPlugin['execution']>): ServerPlugin => ({ execution });

describe('at the deadline', () => {
  test('an execution that hangs before next() is an error, and starts nothing when it continues', async (t) => {
    const notes: string[] = [];
    const gate = deferred();
    const hanging = wrapping(async (_execution, next) => {
      await gate.promise;
      const { result } = await next();
      notes.push(String(result.errors?.[0]?.extensions?.['code']));
      throw new Error('not read');
    });

    const answer = await respondAtDeadline(t, [hanging, noting(notes, 'executionDidStart', 'willSendResponse')]);
    gate.resolve();
    await quiet();

    assert.equal(json(answer).errors[0].extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(notes, ['willSendResponse', 'DEADLINE_EXCEEDED']);
  });

  for (const hook of ['request', 'operation', 'execution'] as const) {
    type Next = (call: unknown, next: () => Promise<any>) => Promise<unknown>;
    const around = (run: Next, rest: ServerPlugin = {}): ServerPlugin => ({ ...rest, [hook]: run });
    const seeing = (seen: unknown[], name: string): ServerPlugin =>
      around(async (_call, next) => {
        const answer = await next();
        const { errors, data } = JSON.parse(hook === 'request' ? String(answer.body) : JSON.stringify(answer.result));
        seen.push([name, errors?.[0].extensions.code ?? data]);
        (answer.headers ?? answer.head.headers).set(`x-${name}`, 'seen');
        return answer;
      });
    const hanging: Next = async (_call, next) => next().then(() => new Promise(() => {}));

    test(`each ${hook} around two that hang after next() sees the late answer, and may change it`, async (t) => {
      const seen: unknown[] = [];
      const plugins = [seeing(seen, 'one'), seeing(seen, 'two'), around(hanging), around(hanging), seeing(seen, 'three')];

      const answer = await respondAtDeadline(t, plugins);

      assert.deepEqual(seen, [
        ['three', { echo: 'x' }],
        ['two', 'DEADLINE_EXCEEDED'],
        ['one', 'DEADLINE_EXCEEDED'],
      ]);
      assert.deepEqual(
        [answer.status, json(answer).data, answer.headers.get('x-one'), answer.headers.get('x-two')],
        [504, undefined, 'seen', 'seen'],
      );
    });

    test(`an ${hook} that refuses the answer, around one that hangs and only watches, is not skipped`, async (t) => {
      const refusing = around(async (_call, next) => next().then(() => Promise.reject(new GraphQLError('refused'))));

      const answer = await respondAtDeadline(t, [refusing, around(hanging, { onlyWatches: true })]);

      assert.deepEqual([json(answer).data, json(answer).errors[0].message], [undefined, 'refused']);
    });
  }

  test('a request stage sees the late answer even if the operations took all of their time', async (t) => {
    const seen: number[] = [];
    const seeing: ServerPlugin = { request: after((_call, { status }) => seen.push(status)) };
    const cors = { origin: () => new Promise<boolean>(() => {}) };

    const answer = await respondAtDeadline(t, [seeing], { cors });

    assert.deepEqual([seen, answer.status], [[504], 504]);
  });

  test('a stage around one that hangs gets its answer, and what has run', async (t) => {
    let ended: OperationOutcome | undefined;
    const watching: ServerPlugin = { position: 'first', operation: after((_call, outcome) => (ended = outcome)) };
    const hanging: ServerPlugin = { operation: async (_call, next) => next().then(() => new Promise(() => {})) };

    await respondAtDeadline(t, [hanging, watching]);

    const { errors, executed, operation } = ended!;
    assert.deepEqual([errors[0]?.extensions['code'], executed, operation?.operation], ['DEADLINE_EXCEEDED', true, 'query']);
  });
});
