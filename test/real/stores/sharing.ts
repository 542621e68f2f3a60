import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startOrigin } from '../../support/datasources/origin.ts';
import type { Call, Origin, Reply } from '../../support/datasources/origin.ts';

/** Sends one GraphQL request to a process of the shop. */
export type Ask = (body: object) => Promise<any>;

/** The catalogue behind the shop, with changing books and cacheable responses. */
export function startCatalogue(t: TestContext): Promise<Origin> {
  const titles = new Map<string, string>();
  return startOrigin(t, ({ method, url, body }: Call, before): Reply => {
    const [, kind, id = ''] = url.split('/');
    if (kind === 'stock') return { headers: { 'cache-control': 'max-age=60' }, body: { count: before } };
    if (method === 'PUT') titles.set(id, (JSON.parse(body) as { title: string }).title);
    return { headers: { 'cache-control': 'no-store' }, body: { id, title: titles.get(id) ?? `book ${id}` } };
  });
}

const bookQuery = (id: number): object => ({ query: `{ book(id: ${id}) { id title } }` });

/** Two processes of the shop over one store, and their catalogue. */
export interface SharedShop {
  readonly processes: readonly [one: Ask, other: Ask];
  readonly catalogue: Origin;
}

/** Tests what the processes of a shop share. No two tests use the same objects. */
export function testSharing(start: () => Promise<SharedShop>): void {
  test('a response stored by one process is served by another', async () => {
    const { stored, shared } = await untilShared(await start(), (id) => bookQuery(100 + id));

    assert.deepEqual(shared, stored);
    assert.match(shared.data.book.title, /^book 1\d\d$/);
  });

  test('a mutation in one process purges the response of the other', async () => {
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
    // If the first process sent two requests before it stored a response, the later one is stored last.
    const { shared } = await untilShared(await start(), (id) => ({ query: `{ stock(id: ${100 + id}) }` }));

    assert.equal(shared.errors, undefined);
    assert.equal(typeof shared.data.stock, 'number');
  });

  test('a persisted query registered in one process is known to the other', async () => {
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

/** Sends requests until the catalogue receives none: a process stores a response after sending it. */
async function untilStored(catalogue: Origin, ask: () => Promise<any>): Promise<any> {
  for (;;) {
    const before = catalogue.calls.length;
    const answer = await ask();
    if (catalogue.calls.length === before) return answer;
  }
}

/**
 * Lets one process store an object and requests it from the other, with one object after another, until an answer needs no request to the
 * catalogue. A process under load may give up waiting for its store, and then does not use it for a second.
 */
async function untilShared(
  { processes: [one, other], catalogue }: SharedShop,
  bodyOf: (id: number) => object,
): Promise<{ stored: any; shared: any }> {
  for (let id = 0; ; id++) {
    const stored = await untilStored(catalogue, () => one(bodyOf(id)));
    const before = catalogue.calls.length;
    const shared = await other(bodyOf(id));
    if (catalogue.calls.length === before) return { stored, shared };
  }
}
