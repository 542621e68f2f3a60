import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import type { Endpoint } from '../../../support/endpoint.ts';
import { executors } from '../../../support/executors.ts';
import { json, post } from '../../../support/plain-http.ts';

function endpointThrowing(thrown: unknown, options: Partial<ServerOptions> = {}): Endpoint {
  const hello = (): never => {
    throw thrown;
  };
  return createEndpoint({ resolvers: { Query: { hello } } as never, ...options });
}

async function extensionsOf(endpoint: Endpoint): Promise<Record<string, string>> {
  return json(await endpoint.send(post({ query: '{ hello }' }))).errors[0].extensions;
}

async function hashOf(thrown: unknown): Promise<string | undefined> {
  return (await extensionsOf(endpointThrowing(thrown)))['errorHash'];
}

/** The hash of a name and of what is left of a message. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

const uuid = '123E4567-e89b-12d3-a456-426614174000';
/** Messages, and what is left of them. */
const messages: readonly (readonly [message: string, left: string])[] = [
  ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED :'],
  ['From -3 to +4, .5, -0.5, 1.5, 1,234.56, 1_000 and 2.5e-7.', 'From  to , , , , ,  and .'],
  ['Took 12345678.5 ms of -12345678, request-1a2b3c4d5e', 'Took  ms of , request'],
  ['No "Emma \\"the\\" 1" in \'it\\\'s\' or `a\\`b`, "\\', 'No  in  or , '],
  ['No book "Emma" by \'Jane\' in `books`.', 'No book  by  in .'],
  [`User ${uuid} is gone`, 'User  is gone'],
  ['Commit deadBEEF and 0123abcd, not abcdefa', 'Commit  and , not abcdefa'],
  ["It can't be read, and isn't 'x'", "It can't be read, and isn't "],
  ['Unexpected token in "{ a', 'Unexpected token in '],
  ['', ''],
  [`${'x'.repeat(1_000)} and more`, 'x'.repeat(1_000)],
  [`${'x'.repeat(990)} "${'y'.repeat(100)}" z`, `${'x'.repeat(990)} `],
];

describe('errorHash', () => {
  for (const [name, executor] of executors)
    test(`is beside the errorId of a masked error and in its log line, with ${name}`, async () => {
      const endpoint = endpointThrowing(new TypeError('Row 5 is broken'), executor);

      const extensions = await extensionsOf(endpoint);

      const { errorId, ...rest } = extensions;
      assert.deepEqual(rest, { code: 'INTERNAL_SERVER_ERROR', errorHash: hashed('TypeError: Row  is broken') });
      const line = endpoint.lines.at(-1)!.message;
      assert.ok(line.startsWith(`Unexpected error ${errorId} (errorHash ${extensions['errorHash']}) at hello`), line);
    });

  for (const [message, left] of messages)
    test(`is of the name and ${JSON.stringify(left.slice(0, 60))} for ${JSON.stringify(message.slice(0, 60))}`, async () => {
      assert.equal(await hashOf(new RangeError(message)), hashed(`RangeError: ${left}`));
    });

  test('is that of the original error, however it is wrapped', async () => {
    const original = new RangeError('out of range');

    assert.equal(await hashOf(new GraphQLError('other', { originalError: original })), await hashOf(original));
  });

  test('is there for anything thrown, and for errors whose name and message are no texts, or cannot be read', async () => {
    const odd = Object.assign(new Error('x'), { name: 5, message: { toString: () => 'x' } });

    const nameless = Object.defineProperty(new Error('a'), 'name', { get: () => assert.fail('unreadable') });
    const wrapping = new GraphQLError('x', { originalError: 'text' as never });

    const hashes = await Promise.all([odd, nameless, wrapping, 'text', null, { a: 1 }].map(hashOf));

    for (const hash of hashes) assert.match(hash ?? '', /^[0-9a-f]{8}$/);
  });

  test('stays when formatError makes the error too long to send', async () => {
    const formatError: ServerOptions['formatError'] = (error) => ({ ...error, message: 'x'.repeat(20_000) });

    const { errorHash } = await extensionsOf(endpointThrowing(new Error('a'), { formatError }));

    assert.equal(errorHash, hashed('Error: a'));
  });

  test('counts in the cost line, where formatError keeps it from the client too', async () => {
    const records: CostRecord[] = [];
    const plugins = [costLine({ write: (_line, record) => void records.push(record) })];
    const formatError: ServerOptions['formatError'] = ({ message }) => ({ message });
    const throwing = endpointThrowing(new Error('No book 5'), { plugins, formatError });
    const answering = createEndpoint({ plugins });

    await throwing.send(post({ query: '{ hello }' }));
    await answering.send(post({ query: '{ hello }' }));

    assert.deepEqual(
      records.map(({ errors, errorHashes }) => ({ errors, errorHashes })),
      [
        { errors: { INTERNAL_SERVER_ERROR: 1 }, errorHashes: { [hashed('Error: No book ')]: 1 } },
        { errors: {}, errorHashes: undefined },
      ],
    );
  });

  test('is not in errors thrown for the client, and in those that are not masked only in the log', async () => {
    const onPurpose = await extensionsOf(endpointThrowing(new GraphQLError('No.', { extensions: { code: 'FORBIDDEN' } })));
    const visible = endpointThrowing(new Error('a'), { maskErrors: false });

    assert.deepEqual(onPurpose, { code: 'FORBIDDEN' });
    assert.deepEqual(await extensionsOf(visible), { code: 'INTERNAL_SERVER_ERROR' });
    assert.ok(visible.lines.at(-1)!.message.includes(hashed('Error: a')));
  });
});
