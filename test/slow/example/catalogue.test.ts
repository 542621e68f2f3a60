import assert from 'node:assert/strict';
import { test } from 'node:test';

import catalogue, { lambda } from '../../../functions/catalogue.ts';
import { functionURLEvent } from '../../support/events.ts';
import { plainRequest, post } from '../../support/plain-http.ts';

const at = (path: string): string => `http://localhost/.netlify/functions/catalogue${path}`;
const ask = (path: string, init?: RequestInit): Promise<Response> => catalogue(new Request(at(path), init));
const review = (path: string, body: unknown): Promise<Response> => ask(path, { method: 'POST', body: JSON.stringify(body) });

test('there are twelve books, and the author of each exists', async () => {
  const books = (await (await ask('/books')).json()) as { author: string }[];
  const authors = await Promise.all(books.map(({ author }) => ask(`/authors/${author}`)));

  assert.equal(books.length, 12);
  assert.deepEqual(new Set(authors.map(({ status }) => status)), new Set([200]));
});

test('books can be selected by author', async () => {
  const books = (await (await ask('/books?author=austen')).json()) as { id: string }[];

  assert.deepEqual(
    books.map(({ id }) => id),
    ['emma', 'persuasion', 'pride-and-prejudice'],
  );
});

test('answers do not depend on the prefix and the platform', async () => {
  const direct = await catalogue(new Request('https://example.lambda-url.eu-central-1.on.aws/books/emma'));
  const event = functionURLEvent(plainRequest({ path: '/books/emma' }));
  const result = (await lambda(event as never)) as { statusCode: number; headers: Record<string, string>; body: string };

  const expected = await (await ask('/books/emma')).text();
  assert.equal(await direct.text(), expected);
  assert.equal(result.body, expected);
  assert.equal(result.statusCode, 200);
  assert.equal(result.headers['content-type'], 'application/json');
});

test('books may be cached for a minute, reviews only with revalidation', async () => {
  const book = await ask('/books/emma');
  const reviews = await ask('/books/emma/reviews');

  assert.equal(book.headers.get('cache-control'), 'public, max-age=60');
  assert.equal(reviews.headers.get('cache-control'), 'no-cache');
  const again = await ask('/books/emma/reviews', { headers: { 'if-none-match': reviews.headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), '');
});

test('a new review is 201, appears in the list, and changes the validator', async () => {
  const before = await ask('/books/persuasion/reviews');

  const created = await review('/books/persuasion/reviews', { stars: 5, text: 'You pierce my soul.', by: 'Frederick' });

  assert.equal(created.status, 201);
  const after = await ask('/books/persuasion/reviews', { headers: { 'if-none-match': before.headers.get('etag') ?? '' } });
  assert.equal(after.status, 200);
  assert.deepEqual(await after.json(), [await created.json()]);
});

test('a review may arrive in base64, as a function URL may send it', async () => {
  const event = functionURLEvent(post({ stars: 4, text: 'Märchenhaft.' }, { path: '/books/dracula/reviews' }));
  const encoded = { ...event, body: Buffer.from(String(event['body'])).toString('base64'), isBase64Encoded: true };

  const { statusCode, body } = (await lambda(encoded as never)) as { statusCode: number; body: string };

  assert.equal(statusCode, 201);
  assert.equal((JSON.parse(body) as { text: string }).text, 'Märchenhaft.');
});

for (const [what, body] of [
  ['without stars', { text: 'x' }],
  ['with six stars', { stars: 6, text: 'x' }],
  ['with half a star', { stars: 0.5, text: 'x' }],
  ['without text', { stars: 1 }],
  ['that is not an object', null],
] as const) {
  test(`a review ${what} is 422, with the reason`, async () => {
    const response = await review('/books/emma/reviews', body);

    assert.equal(response.status, 422);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.match(((await response.json()) as { detail: string }).detail, /Expected/);
  });
}

test('an unknown path is 404, and a wrong method is 405 with the allowed methods', async () => {
  const paths = ['', '/', '/book', '/books/none', '/books/none/reviews', '/authors/none', '/books/%E0%A4%A'];
  const statuses = await Promise.all(paths.map(async (path) => (await ask(path)).status));
  const refused = await ask('/books/emma/reviews', { method: 'DELETE' });

  assert.deepEqual(new Set(statuses), new Set([404]));
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get('allow'), 'GET, POST');
});

test('HEAD is answered like GET, without the body', async () => {
  const response = await ask('/books/emma', { method: 'HEAD' });

  assert.equal(response.status, 200);
  assert.equal(response.headers.get('etag'), (await ask('/books/emma')).headers.get('etag'));
  assert.equal(await response.text(), '');
});
