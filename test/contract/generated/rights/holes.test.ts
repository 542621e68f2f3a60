import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import { cases } from '../../../support/long-form.ts';
import { authorization, needsAuthorization } from './authorization.ts';
import { groups } from './rows.ts';
import type { Expected, Row } from './rows.ts';
import type { CreateRights } from './serving.ts';
import { simpleRights } from './simple-decision.ts';
import { serveText } from './text-server.ts';
import type { TextServer } from './text-server.ts';

const isLong = cases({ short: 0, long: 1 }) > 0;

/** The simple decision shows that the table is right. It is needed until there is another one. */
const subjects: readonly (readonly [subject: string, executor: string, createRights: CreateRights | undefined])[] = [
  ...(authorization === undefined || isLong ? ([['the simple decision', 'a plan', simpleRights()]] as const) : []),
  ['authorization()', 'a plan', authorization],
  // Production makes types when they are first needed.
  ['authorization()', 'a plan in production', authorization],
  ...(isLong ? ([['authorization()', 'graphql-js', authorization]] as const) : []),
];

for (const [subject, executor, createRights] of subjects)
  describe(`${subject} with ${executor} knows`, createRights === undefined ? needsAuthorization : {}, () => {
    const options = {
      ...(executor === 'graphql-js' && { executor: graphqlJSExecutor() }),
      ...(executor.endsWith('production') && { nodeEnv: 'production' }),
    };
    for (const [name, { typeDefs, rows }] of Object.entries(groups))
      describe(name, () => {
        let server: TextServer | undefined;
        for (const row of rows)
          it(row.title, async () => {
            server ??= serveText(typeDefs, { createRights: createRights!, options });

            assert.deepEqual(await outcomeOf(server, row), {
              answer: row.expected,
              ran: [],
              asked: row.asks,
              policies: row.asksPolicies,
            });
          });
      });
  });

/** The answer to a row, and the resolvers that ran although it is no data. */
async function outcomeOf(
  server: TextServer,
  { operation, variables, operationName, caller = {}, asks, asksPolicies }: Row,
): Promise<object> {
  const isSubscription = operation.startsWith('subscription');
  const headers = isSubscription ? { accept: 'text/event-stream' } : {};
  const { status, body } = await server.send(caller, { query: operation, variables, operationName }, headers);
  const asked = server.ran.filter((one) => !one.includes('.'));
  const policies = asked.flatMap((one) => /^policy (.*)$/.exec(one)?.[1] ?? []);
  const resolvers = server.ran.filter((one) => one.includes('.'));
  assert.equal(new Set(asked).size, asked.length, `asked twice: ${asked.join(', ')}`);
  const answer = readAnswer(body, isSubscription ? undefined : status);
  return { answer, ran: answer === 'allowed' ? [] : resolvers, asked: asks && asked, policies: asksPolicies && policies };
}

/** `status` undefined: a stream has begun with 200. */
function readAnswer({ data, errors = [] }: { data?: unknown; errors?: readonly any[] }, status: number | undefined): Expected | object {
  if (data !== undefined && errors.length === 0) return 'allowed';
  const { code, missing, needed } = errors[0]?.extensions ?? {};
  if (data !== undefined || errors.length !== 1) return { data, errors };
  if (code === 'INTERNAL_SERVER_ERROR' && (status === 500 || status === undefined) && errors[0].message === 'Internal server error')
    return 'masked 500';
  const expected = { UNAUTHENTICATED: 401, FORBIDDEN: 403 }[code as string];
  return expected !== undefined && (status === undefined || status === expected) ? [code, missing, needed] : { status, errors };
}
