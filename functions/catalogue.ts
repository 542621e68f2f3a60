// The REST API that the example reads from: books, authors and reviews. Its data is in catalogue-data/, so the example works
// offline. It has no code for GraphQL. graphql.ts finds it by the address in CATALOGUE_URL.

import { createHash } from 'node:crypto';

import { authors } from './catalogue-data/authors.ts';
import { books } from './catalogue-data/books.ts';
import { reviews as firstReviews } from './catalogue-data/reviews.ts';
import type { Review } from './catalogue-data/reviews.ts';

/** Kept in memory, so new reviews are lost when the process ends. Use a database in a real API. */
const reviews: Review[] = [...firstReviews];

/** A Netlify function takes a `Request` and returns a `Response`. Deno, Bun, Workers and Vercel use the same signature. */
export default async function catalogue(request: Request): Promise<Response> {
  const url = new URL(request.url);
  // Removes Netlify's prefix ("/.netlify/functions/catalogue/books"). A function URL has none ("/books").
  const path = url.pathname.replace(/^.*\/catalogue(?=\/|$)/, '');
  for (const { pattern, methods } of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const answer = methods[method];
    if (answer === undefined) return problem(405, `${request.method} is not for ${path}.`, { allow: Object.keys(methods).join(', ') });
    return answer({ request, id: decode(match[1]), search: url.searchParams });
  }
  return problem(404, `There is no ${path || '/'}. Try /books, /authors or /books/emma/reviews.`);
}

/**
 * AWS Lambda passes an event instead of a `Request`, so template.yaml uses this export. It supports function URLs and HTTP APIs.
 * It is not called `handler`, because Netlify would treat this file as a function of version 1.
 */
export async function lambda(event: FunctionURLEvent): Promise<object> {
  const { rawPath, rawQueryString, headers, requestContext } = event;
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const url = `https://${requestContext.domainName}${rawPath}?${rawQueryString}`;
  const response = await catalogue(new Request(url, { method: requestContext.http.method, headers, body }));
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

interface FunctionURLEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
}

interface Call {
  readonly request: Request;
  readonly id: string;
  readonly search: URLSearchParams;
}

interface Route {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, (call: Call) => Response | Promise<Response>>>;
}

const routes: readonly Route[] = [
  { pattern: /^\/books$/, methods: { GET: getBooks } },
  { pattern: /^\/books\/([^/]+)$/, methods: { GET: ({ request, id }) => getOne(request, books, id) } },
  { pattern: /^\/books\/([^/]+)\/reviews$/, methods: { GET: getReviews, POST: postReview } },
  { pattern: /^\/reviews$/, methods: { GET: getReviewsOfBooks } },
  { pattern: /^\/authors$/, methods: { GET: ({ request }) => json(request, authors, lasting) } },
  { pattern: /^\/authors\/([^/]+)$/, methods: { GET: ({ request, id }) => getOne(request, authors, id) } },
];

/** Books and authors rarely change, so clients may use a response for a minute. */
const lasting = 'public, max-age=60';
/** Reviews may change at any time, so clients must revalidate a stored response before they use it. */
const changing = 'no-cache';

function getBooks({ request, search }: Call): Response {
  const author = search.get('author');
  return json(request, author === null ? books : books.filter((book) => book.author === author), lasting);
}

function getOne(request: Request, things: readonly { readonly id: string }[], id: string): Response {
  const thing = things.find((candidate) => candidate.id === id);
  return thing === undefined ? problem(404, `There is none with the id "${id}".`) : json(request, thing, lasting);
}

function getReviews({ request, id }: Call): Response {
  if (!books.some((book) => book.id === id)) return problem(404, `There is no book with the id "${id}".`);
  return json(
    request,
    reviews.filter((review) => review.book === id),
    changing,
  );
}

/** The reviews of several books: /reviews?book=emma&book=persuasion. */
function getReviewsOfBooks({ request, search }: Call): Response {
  const ids = new Set(search.getAll('book'));
  return json(
    request,
    reviews.filter(({ book }) => ids.has(book)),
    changing,
  );
}

async function postReview({ request, id }: Call): Promise<Response> {
  if (!books.some((book) => book.id === id)) return problem(404, `There is no book with the id "${id}".`);
  const { stars, text, by } = ((await request.json().catch(() => null)) ?? {}) as Partial<Review>;
  if (typeof stars !== 'number' || !Number.isInteger(stars) || stars < 1 || stars > 5)
    return problem(422, 'Expected stars to be a whole number from 1 to 5.');
  if (typeof text !== 'string' || text.trim() === '') return problem(422, 'Expected text, and not an empty one.');

  const review: Review = { id: `r${reviews.length + 1}`, book: id, stars, text, by: typeof by === 'string' ? by : 'anonymous' };
  reviews.push(review);
  return Response.json(review, { status: 201 });
}

/** A JSON response with an ETag, so that a cache can revalidate its copy and get a 304 without a body. */
function json(request: Request, value: unknown, cacheControl: string): Response {
  const body = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = { 'cache-control': cacheControl, etag };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(request.method === 'HEAD' ? null : body, { headers: { ...headers, 'content-type': 'application/json' } });
}

/** An error in the format of RFC 9457. */
function problem(status: number, detail: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ status, detail }), { status, headers: { ...headers, 'content-type': 'application/problem+json' } });
}

function decode(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return segment ?? '';
  }
}
