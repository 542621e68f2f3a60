import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { DevServer } from '../../../src/tools/cli/dev/dev.ts';
import { lambda } from '../../../functions/catalogue.ts';
import { functionURLEvent } from '../../support/events.ts';
import { serveExample } from '../../support/functions-project.ts';
import { postJSON } from '../../support/plain-http.ts';
import { serveEvents } from '../../support/real/loopback.ts';
import { contracts } from '../../support/results.ts';

const path = '/.netlify/functions/graphql';
let address: string;
let server: DevServer;
before(async () => {
  server = await serveExample();
  address = server.url + path;
});
after(() => server.close());

/** The example over a catalogue that records its requests. */
async function serveOverCatalogue(context: TestContext): Promise<{ address: string; requests: string[] }> {
  const requests: string[] = [];
  const functionURL = { build: functionURLEvent, contract: contracts.payloadV2 };
  const origin = await serveEvents(context, functionURL, async (event: any) => {
    const result: any = await lambda(event);
    const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
    requests.push(`${event.requestContext.http.method} ${event.rawPath}${query} ${result.statusCode}`);
    return result;
  });
  const example = await serveExample({ CATALOGUE_URL: `${origin}/` });
  context.after(() => example.close());
  return { address: example.url + path, requests };
}

async function run(address: string, query: string, headers: Readonly<Record<string, string>> = {}): Promise<any> {
  return (await postJSON(address, { query }, headers)).json();
}

test('books, their authors and reviews come from the catalogue', async () => {
  assert.deepEqual(
    await run(address, '{ books(author: "austen") { title year author { name } } book(id: "dracula") { reviews { by stars } } }'),
    {
      data: {
        books: [
          { title: 'Emma', year: 1815, author: { name: 'Jane Austen' } },
          { title: 'Persuasion', year: 1817, author: { name: 'Jane Austen' } },
          { title: 'Pride and Prejudice', year: 1813, author: { name: 'Jane Austen' } },
        ],
        book: { reviews: [{ by: 'Mina', stars: 4 }] },
      },
    },
  );
});

test('a book has a URL, and the OpenAPI document names it', async () => {
  const book = await fetch(`${address}/rest/books/emma`);
  const none = await fetch(`${address}/rest/books/none`);
  const { paths } = (await (await fetch(`${address}/rest/openapi.json`)).json()) as any;

  assert.deepEqual(await book.json(), { id: 'emma', title: 'Emma', year: 1815, author: { name: 'Jane Austen' } });
  assert.match(book.headers.get('netlify-cdn-cache-control')!, /max-age=\d+/);
  assert.equal(none.status, 404);
  assert.equal(paths['/books/{id}'].get.operationId, 'GetBook');
});

test('the next operation sees a review that was added, with the name of its user', async () => {
  const added = await run(address, 'mutation { addReview(book: "emma", stars: 5, text: "Again!") { stars text by } }', {
    'x-user': 'Emma',
  });
  const { data } = await run(address, '{ book(id: "emma") { reviews { text by } } }');

  assert.deepEqual(added, { data: { addReview: { stars: 5, text: 'Again!', by: 'Emma' } } });
  assert.deepEqual(data.book.reviews.at(-1), { text: 'Again!', by: 'Emma' });
});

test('an invalid number of stars is an error of the client', async () => {
  const { data, errors } = await run(address, 'mutation { addReview(book: "emma", stars: 6, text: "x") { id } }');

  assert.equal(data, null);
  assert.equal(errors[0].message, 'Expected stars from 1 to 5.');
  assert.equal(errors[0].extensions.code, 'BAD_USER_INPUT');
});

test('a CDN may cache the catalogue, but not reviews', async () => {
  const headers = { 'vendor-require-preflight': '1' };
  const fieldOf = async (query: string): Promise<string | null> =>
    (await fetch(`${address}?query=${encodeURIComponent(query)}`, { headers })).headers.get('netlify-cdn-cache-control');

  const fields = [await fieldOf('{ book(id: "emma") { id author { name } } }'), await fieldOf('{ book(id: "emma") { reviews { text } } }')];

  // At most as long as the response of the catalogue, which has max-age=60.
  assert.match(fields[0] ?? '', /^public, durable, max-age=(?:[1-5]?\d|60)$/);
  assert.equal(fields[1], null);
});

test('an operation requests each resource once; the next one requests only those that may have changed', async (context) => {
  const { address: example, requests } = await serveOverCatalogue(context);
  const query = '{ books(author: "austen") { author { name } } book(id: "emma") { reviews { id } } }';

  await run(example, query);
  assert.deepEqual(requests.splice(0).toSorted(), [
    'GET /authors/austen 200',
    'GET /books/emma 200',
    'GET /books?author=austen 200',
    'GET /reviews?book=emma 200',
  ]);

  await run(example, query);
  assert.deepEqual(requests, ['GET /reviews?book=emma 304']);
});
