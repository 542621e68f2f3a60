import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { serve } from '../../support/v3-server.ts';

const typeDefs = `
  type Query { rows: [Row!]! search(filter: Filter): String fail: String root: String }
  type Row { id: ID rows: [Row!]! fail: String }
  input Filter { and: Filter text: String }
`;
const fail = (): never => {
  throw new Error('The database is gone.');
};
let calls = 0;
const rows = Array.from({ length: 500 }, (_, id) => ({ id }));
const resolvers = {
  Query: { rows: () => rows, search: () => 'found', fail },
  Row: {
    fail: () => {
      calls++;
      fail();
    },
  },
};
const aliases = (count: number, field: string): string => Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

test('a response too large for any platform is aborted while it is created', async () => {
  const answer = await serve({ typeDefs, resolvers })({ body: { query: `{ rows { ${aliases(3000, 'id')} } }` } });

  equal(answer.status, 400);
  match(answer.body.errors[0].message, /^The answer has about \d+ bytes/);
});

test('a resolver that fails for each of 100,000 fields is not called for all of them, and its errors are less than 1 MiB', async () => {
  calls = 0;
  const send = serve({ typeDefs, resolvers });

  const tooMany = await send({ body: { query: `{ rows { ${aliases(200, 'fail')} } }` } });
  const many = await send({ body: { query: `{ ${aliases(1200, 'fail')} }` } });

  match(tooMany.body.errors[0].message, /^The answer has about/);
  ok(calls < 8000, String(calls));
  ok(JSON.stringify(many.body.errors).length < 1024 * 1024);
  match(many.body.errors.at(-1).message, /^And (?:at least )?\d+ more errors\.$/);
});

test('unknown keys of variables are one error, and deep variables a 400', async () => {
  const send = serve({ typeDefs, resolvers });
  const query = 'query ($f: Filter) { search(filter: $f) }';
  const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1]));
  const deep = Array.from({ length: 800 }).reduce((and) => ({ and }), {});

  const unknown = await send({ body: { query, variables: { f: keys } } });
  const nested = await send({ body: { query, variables: { f: deep } } });

  equal(unknown.status, 400);
  deepEqual(
    unknown.body.errors.map(({ message }: { message: string }) => message),
    ['Variable "$f" has no valid value of type "Filter". Send smaller variables to see why.'],
  );
  equal(nested.status, 400);
  equal(nested.body, 'Expected "variables" to nest at most 200 levels deep, got more.');
});

test('a plain rootValue is copied for each operation', async () => {
  const rootValue = {};
  const send = serve({
    typeDefs,
    resolvers: {
      ...resolvers,
      Query: { ...resolvers.Query, root: (root: { seen?: string }, _: unknown, { user }: any) => (root.seen ??= user) },
    },
    rootValue,
    context: ({ event }: any) => ({ user: event.headers.user }),
  });

  const first = await send({ headers: { user: 'alice' }, body: { query: '{ root }' } });
  const second = await send({ headers: { user: 'bob' }, body: { query: '{ root }' } });

  deepEqual([first.body.data.root, second.body.data.root], ['alice', 'bob']);
});
