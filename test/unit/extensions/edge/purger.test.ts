import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { PurgeClient } from '../../../../src/entries/edge.ts';
import { Purger } from '../../../../src/extensions/edge/purge.ts';
import { deferred } from '../../../support/deferred.ts';
import { shop, stopTimers } from '../../../support/edge/purge-shop.ts';

describe('purge of an edge', () => {
  stopTimers();

  test('accepts objects, types, fields and tags', async () => {
    const { edge, get, purges } = shop();
    await get('{ books { id } }');

    await edge.purge({ entities: [{ typename: 'Pen', id: 7 }], types: ['Book'], fields: ['books'], tags: ['d:v1'] });

    assert.equal(purges.join(' '), 'e:Pen:7,u:Pen,l:Pen,t:Book,l:Book,q:books,d:v1');
  });

  test('removes lists of interfaces and unions, also in a process that has served no request', async () => {
    const typeDefs = `type Query { nodes: [Node] @cacheControl(maxAge: 60) } type Mutation { no: Int } interface Node { id: ID! }
      type Book implements Node @cacheControl(maxAge: 60) { id: ID! } type Pen implements Node @cacheControl(maxAge: 60) { id: ID! }`;
    const [reader, webhook] = [shop({}, { Query: { nodes: () => [] }, Mutation: {} }, { typeDefs }), shop()];
    await reader.get('{ nodes { id } }');

    await webhook.edge.purge({ entities: [{ typename: 'Book', id: 7 }] });

    const [shown] = reader.decisions;
    assert.ok(shown?.public === true && shown.tags.some((tag) => webhook.purges.flat().includes(tag)), JSON.stringify(shown));
  });

  test('rejects without the options purge and store', async () => {
    const { edge } = shop({ purge: undefined });

    await assert.rejects(edge.purge({ types: ['Book'] }), {
      message: 'Expected edge to have the option purge or store to purge answers from, got neither.',
    });
  });
});

describe('the purger', () => {
  /** Creates a purger whose purges are refused with the error that this function returns. */
  const purgerOf = (client: Omit<PurgeClient, 'purge'>, isRefused: (tags: readonly string[]) => unknown = () => undefined) => {
    const sent: (readonly string[])[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      const error = isRefused(tags);
      if (error !== undefined) throw error;
    };
    const purger = new Purger({ ...client, purge });
    return { sent, send: async (...tags: string[]) => purger.purge(tags, undefined) };
  };

  test('sends the tags that were refused with the next purge, and no others', async () => {
    let isDown = true;
    const { sent, send } = purgerOf({ batchSize: 1 }, (tags) => (isDown && tags.includes('b') ? new Error('down') : undefined));

    const refusals = [await send('a', 'b'), await send('c')];
    isDown = false;
    refusals.push(await send(), await send(), await send('d'));

    const told = refusals.map((refusal) => refusal && `${[...refusal.tags].join()}: ${refusal.error.message}`);
    assert.deepEqual(told, ['b: down', 'b: down', undefined, undefined, undefined]);
    assert.deepEqual(sent, [['a'], ['b'], ['b'], ['c'], ['b'], ['d']]);
  });

  test('keeps a tag that is refused while a purge that began before is accepted', async (t) => {
    const first = deferred<void>();
    const results = [() => first.promise, () => Promise.reject(new Error('down'))];
    const purge = t.mock.fn(async (_tags: readonly string[]) => results.shift()?.());
    const purger = new Purger({ purge });
    const before = purger.purge(['a'], undefined);
    await purger.purge(['a'], undefined);
    first.resolve();
    await before;

    await purger.purge(['b'], undefined);

    assert.deepEqual(purge.mock.calls[2]!.arguments[0], ['a', 'b']);
  });

  test('keeps 1,000 refused tags, the last ones', async () => {
    let isDown = true;
    const { sent, send } = purgerOf({ batchSize: 10_000 }, () => (isDown ? new Error('down') : undefined));
    await send(...Array.from({ length: 1_200 }, (_, at) => `e:T:${at}`));

    isDown = false;
    await send('last');

    assert.deepEqual([sent[1]!.length, sent[1]![0], sent[1]!.at(-1)], [1_001, 'e:T:200', 'last']);
  });

  test('counts a request that has not ended after 30 seconds as refused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const hanging = new Purger({ purge: () => new Promise(() => undefined) }).purge(['a'], undefined);

    t.mock.timers.tick(30_000);

    assert.equal((await hanging)?.error.message, 'A purge has not ended within 30 seconds.');
  });

  test('calls the method of an instance of a class', async () => {
    class Client {
      readonly sent: string[] = [];
      async purge(tags: readonly string[]): Promise<void> {
        this.sent.push(...tags);
      }
    }
    const client = new Client();

    assert.equal(await new Purger(client).purge(['a'], undefined), undefined);
    assert.deepEqual(client.sent, ['a']);
  });
});
