import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';

import { startOrigin } from '../../datasource/origin.ts';
import type { Call, Origin, Reply } from '../../datasource/origin.ts';

/** Sends one GraphQL request to a process of the shop. */
export type Ask = (body: object) => Promise<any>;

/** What helpers need of a test, for all tests of a suite: `after` means the end of the suite. */
export function suiteContext(): TestContext {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return { after: (end: () => unknown) => void ends.push(end) } as TestContext;
}

/** The catalogue behind the shop: books that change, and responses that may be kept. */
export function startCatalogue(t: TestContext): Promise<Origin> {
  const titles = new Map<string, string>();
  return startOrigin(t, ({ method, url, body }: Call, before): Reply => {
    const [, kind, id = ''] = url.split('/');
    if (kind === 'stock') return { headers: { 'cache-control': 'max-age=60' }, body: { count: before } };
    if (method === 'PUT') titles.set(id, (JSON.parse(body) as { title: string }).title);
    return { headers: { 'cache-control': 'no-store' }, body: { id, title: titles.get(id) ?? `book ${id}` } };
  });
}

export const bookQuery = (id: number): object => ({ query: `{ book(id: ${id}) { id title } }` });

/** Two processes of the shop over one store, and their catalogue. */
export interface SharedShop {
  readonly processes: readonly [one: Ask, other: Ask];
  readonly catalogue: Origin;
}

/** Tests what the processes of a shop share. No two tests use the same objects. */
export function testSharing(start: () => Promise<SharedShop>): void {
  test('an answer that one process has stored is that of another', async () => {
    const { processes, catalogue } = await start();
    const [one, other] = processes;
    // The first access of a process may take longer than a cache is waited for.
    await untilStored(catalogue, () => other(bookQuery(9)));
    await untilStored(catalogue, () => one(bookQuery(1)));
    const before = catalogue.calls.length;

    const answer = await other(bookQuery(1));

    assert.deepEqual([answer, catalogue.calls.length], [{ data: { book: { id: '1', title: 'book 1' } } }, before]);
  });

  test('a mutation in one process takes the answer of the other back', async () => {
    const { processes, catalogue } = await start();
    const [one, other] = processes;
    await untilStored(catalogue, () => one(bookQuery(2)));
    await untilStored(catalogue, () => other(bookQuery(2)));

    await other({ query: 'mutation { rename(id: 2, title: "due") { id } }' });
    const answers = [await one(bookQuery(2)), await other(bookQuery(2))];

    const renamed = { data: { book: { id: '2', title: 'due' } } };
    assert.deepEqual(answers, [renamed, renamed]);
  });

  test('a response of a data source is stored for both', async () => {
    const { processes, catalogue } = await start();
    const [one, other] = processes;
    const { data } = await untilStored(catalogue, () => one({ query: '{ stock(id: 3) }' }));
    const before = catalogue.calls.length;

    const answer = await other({ query: '{ stock(id: 3) }' });

    assert.deepEqual([answer, catalogue.calls.length], [{ data }, before]);
  });

  test('a persisted query that one process was told is known to the other', async () => {
    const { processes } = await start();
    const [one, other] = processes;
    const query = '{ stock(id: 4) __typename }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
    const { errors } = await other({ extensions });
    await one({ query, extensions });

    const answer = await other({ extensions });

    assert.equal(errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
    assert.equal(answer.data.__typename, 'Query');
  });
}

/** Asks until the catalogue is not asked any more: a process stores after it has answered. */
async function untilStored(catalogue: Origin, ask: () => Promise<any>): Promise<any> {
  for (;;) {
    const before = catalogue.calls.length;
    const answer = await ask();
    if (catalogue.calls.length === before) return answer;
  }
}
