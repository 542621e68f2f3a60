// A request as users have it: resolvers that read a real Postgres, in one process with all servers. Compares the time of the whole request,
// and the CPU time of the process, with those of a function that runs the same statements without GraphQL.
// Run, with Postgres installed: node bench/database.ts
// ROUNDS (20) and REQUESTS (60 per server and round) set how long it takes: about half a minute.
import { createRequire } from 'node:module';

import { bundle, contestants } from './contestants.ts';
import type { ContestantName } from './contestants.ts';
import { createEvent } from './event.ts';
import type { Contestant, Result } from './event.ts';
import { startPostgres } from './postgres.ts';
import { median, rounded } from './statistics.ts';

/** By server: milliseconds of a request, milliseconds of CPU, and both beyond those of the same statements without GraphQL. */
export type DatabaseResult = Readonly<
  Record<string, { readonly milliseconds: number; readonly cpu: number; readonly added: number; readonly addedCPU: number }>
>;

const rounds = Number(process.env['ROUNDS'] ?? 20);
const requests = Number(process.env['REQUESTS'] ?? 60);

interface Pool {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: any[] }>;
  end(): Promise<void>;
}
interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: number;
}
interface Author {
  readonly id: number;
  readonly name: string;
}

const typeDefs = /* GraphQL */ `
  type Query {
    books(after: Int!, first: Int!): [Book!]!
  }
  type Book {
    id: ID!
    title: String!
    author: Author!
  }
  type Author {
    id: ID!
    name: String!
  }
`;
const query = 'query ($after: Int!) { books(after: $after, first: 20) { id title author { id name } } }';

export async function measureDatabase(): Promise<DatabaseResult> {
  const postgres = await startPostgres();
  const { Pool } = createRequire(import.meta.url)('pg') as { Pool: new (options: object) => Pool };
  const pool = new Pool({ connectionString: postgres.url, max: 4 });
  try {
    await fill(pool);
    return await compare(await createHandlers(pool));
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function fill(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE authors (id integer PRIMARY KEY, name text NOT NULL)');
  await pool.query('CREATE TABLE books (id integer PRIMARY KEY, title text NOT NULL, author integer NOT NULL REFERENCES authors (id))');
  await pool.query("INSERT INTO authors SELECT n, 'Author ' || n FROM generate_series(1, 1000) AS n");
  await pool.query("INSERT INTO books SELECT n, 'Book ' || n, 1 + n * 7 % 1000 FROM generate_series(1, 10000) AS n");
  await pool.query('ANALYZE');
}

type Handler = ReturnType<Contestant>;

async function createHandlers(pool: Pool): Promise<ReadonlyMap<string, Handler>> {
  const listBooks = async (after: number, first: number): Promise<Book[]> =>
    (await pool.query('SELECT id, title, author FROM books WHERE id > $1 ORDER BY id LIMIT $2', [after, first])).rows;
  const authorsById = async (ids: readonly number[]): Promise<(Author | undefined)[]> => {
    const { rows } = await pool.query('SELECT id, name FROM authors WHERE id = ANY($1)', [[...new Set(ids)]]);
    const byId = new Map((rows as Author[]).map((author) => [author.id, author]));
    return ids.map((id) => byId.get(id));
  };
  const loadAuthor = createLoader(authorsById);
  const resolvers = {
    Query: { books: (_: unknown, { after, first }: { after: number; first: number }) => listBooks(after, first) },
    Book: { author: ({ author }: Book) => loadAuthor(author) },
  };
  const handlers = new Map<string, Handler>();
  for (const contestant of contestants) {
    if (contestant.file === 'no-graphql') continue;
    const file = await bundle(contestant, 'database', (path) => `export { create } from ${JSON.stringify(path)};`);
    const { create } = createRequire(import.meta.url)(file) as { create: Contestant };
    handlers.set(contestant.name, create({ typeDefs, resolvers }));
  }
  const byHand = async (event: { readonly body: string }): Promise<Result> => {
    const { variables } = JSON.parse(event.body) as { variables: { after: number } };
    const books = await listBooks(variables.after, 20);
    const authors = await authorsById(books.map(({ author }) => author));
    const data = {
      books: books.map(({ id, title }, at) => ({ id: String(id), title, author: { ...authors[at], id: String(authors[at]!.id) } })),
    };
    return { statusCode: 200, body: JSON.stringify({ data }) };
  };
  return handlers.set(baseline, byHand);
}

const baseline: ContestantName = 'no GraphQL';

/** One statement for all keys that are requested in one turn, for every server, without a cache. */
function createLoader<TKey, TValue>(loadAll: (keys: readonly TKey[]) => Promise<TValue[]>): (key: TKey) => Promise<TValue> {
  let keys: TKey[] = [];
  let values: Promise<TValue[]> | undefined;
  return async (key) => {
    values ??= new Promise<void>((resolve) => void setImmediate(resolve)).then(() => {
      const requested = keys;
      keys = [];
      values = undefined;
      return loadAll(requested);
    });
    const at = keys.push(key) - 1;
    return (await values)[at]!;
  };
}

interface Sample {
  readonly milliseconds: number;
  readonly cpu: number;
}

async function compare(handlers: ReadonlyMap<string, Handler>): Promise<DatabaseResult> {
  await assertSameAnswers(handlers);
  const samples = new Map<string, Sample[]>([...handlers.keys()].map((name) => [name, []]));
  const order = [...handlers];
  // The first rounds warm up.
  for (let round = -3; round < rounds; round++) {
    order.push(order.shift()!);
    for (const [name, handler] of order) {
      const sample = await measure(handler);
      if (round >= 0) samples.get(name)!.push(sample);
    }
  }
  const base = samples.get(baseline)!;
  return Object.fromEntries(
    [...samples].map(([name, own]) => [
      name,
      {
        milliseconds: rounded(median(own.map(({ milliseconds }) => milliseconds))),
        cpu: rounded(median(own.map(({ cpu }) => cpu))),
        added: rounded(median(own.map(({ milliseconds }, at) => milliseconds - base[at]!.milliseconds))),
        addedCPU: rounded(median(own.map(({ cpu }, at) => cpu - base[at]!.cpu))),
      },
    ]),
  );
}

/** Requests one after the other, as in a function, which gets one event at a time. */
async function measure(handler: Handler): Promise<Sample> {
  const events = Array.from({ length: requests }, (_, nth) => createEvent(bodyOf(nth)));
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (const event of events) await handler(event, {});
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  return { milliseconds: milliseconds / requests, cpu: (user + system) / 1000 / requests };
}

function bodyOf(nth: number): string {
  return JSON.stringify({ query, variables: { after: (nth * 37) % 9000 } });
}

async function assertSameAnswers(handlers: ReadonlyMap<string, Handler>): Promise<void> {
  const dataOf = async (handler: Handler): Promise<string> =>
    JSON.stringify(JSON.parse((await handler(createEvent(bodyOf(1)), {})).body).data);
  const expected = await dataOf(handlers.get(baseline)!);
  for (const [name, handler] of handlers) {
    const data = await dataOf(handler);
    if (data !== expected) throw new Error(`${name} answers differently: ${data.slice(0, 300)}`);
  }
}

if (import.meta.main) {
  const result = await measureDatabase();
  if (process.env['AS_JSON']) console.log(JSON.stringify(result));
  else {
    console.log('ms per request, of which beyond the same statements without GraphQL; the same of CPU');
    for (const [name, { milliseconds, cpu, added, addedCPU }] of Object.entries(result))
      console.log(
        `  ${name.padEnd(32)} ${String(milliseconds).padStart(7)} ${String(added).padStart(8)} ${String(cpu).padStart(8)} ${String(addedCPU).padStart(8)}`,
      );
  }
  process.exit(0);
}
