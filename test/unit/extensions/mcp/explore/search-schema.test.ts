import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { authorization } from '../../../../../src/entries/authorization.ts';
import { AuthenticationError } from '../../../../../src/entries/datasource.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import { bounds, serveExplorer } from '../../../../support/explore-serving.ts';
import { serveTools } from '../../../../support/mcp-serving.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

test('search_schema returns the types of what it finds, with the paths', async () => {
  const { call } = serveExplorer();

  const { structuredContent, text } = await call('search_schema', { query: 'titles of books', limit: 2 });

  assert.deepEqual(structuredContent, {
    sdl: `type Book {
  "How the book is called"
  title: String!
  id: ID!
  name: String!
}
input BookFilter {
  titlePart: String
  and: [BookFilter!]
}
enum BookSort {
  TITLE
}
type Query {
  "The books of the shop, by their titles"
  books(first: Int! = 10, filter: BookFilter, sort: BookSort): [Book!]!
}
`,
    paths: ['Query.books.title', 'Query.books'],
  });
  assert.equal(text, `${structuredContent.sdl}\nPaths:\n${structuredContent.paths.join('\n')}`);
});

const rules = `
  type Query {
    open: Thing
    salaries: [Salary] @requiresScopes(scopes: [["hr"]])
    staff: Person @authenticated
    board: Person @policy(policies: [["owner"]])
  }
  type Thing { name: String  salary: Salary @policy(policies: [["owner"]]) }
  type Salary { amount: Int  thing: Thing }
  type Person { salary: Salary  name: String @policy(policies: [["never"]]) }
`;

for (const [who, claims, isOwner, expected] of [
  ['nobody', undefined, false, []],
  ['somebody', [], false, ['Query.staff.salary']],
  ['a caller with the scope', ['hr'], false, ['Query.salaries', 'Query.staff.salary']],
  ['a caller of the policy', undefined, true, ['Query.open.salary', 'Query.board.salary']],
] as const)
  test(`search_schema shows to ${who} the fields of which a path may be run`, async () => {
    const asked: string[] = [];
    const { call } = serveExplorer(
      { explore: true },
      {
        typeDefs: rules,
        resolvers: {},
        plugins: [
          authorization({
            claims: () => {
              asked.push('claims');
              return claims;
            },
            policies: {
              owner: () => {
                asked.push('owner');
                return isOwner;
              },
              never: () => false,
            },
          }),
        ],
      },
    );

    const { structuredContent } = await call('search_schema', { query: 'salary salaries' });

    const found = structuredContent.paths.filter((path: string) => /salar\w+$/.test(path)).toSorted();
    assert.deepEqual(found, [...expected].toSorted());
    assert.deepEqual(asked, ['claims', 'owner']);
  });

test('paths of search_schema avoid deprecated fields', async () => {
  const typeDefs = 'type Query { byHandle: Product @deprecated  shop: Shop } type Shop { product: Product } type Product { price: Int }';
  const { call } = serveExplorer({ explore: true }, { typeDefs, resolvers: {} });

  const { structuredContent } = await call('search_schema', { query: 'price', limit: 1 });

  assert.deepEqual(structuredContent.paths, ['Query.shop.product.price']);
});

test('tools/list has both tools', async () => {
  assert.deepEqual(await serveExplorer().names(), ['run_query', 'search_schema']);
  assert.equal((await serveTools().names()).includes('run_query'), false);
});

for (const [what, plugins, explore, expected] of [
  ['budget() and limits()', [], true, 'Add limits({ maxCost: 1000 }) and budget({ … }) to plugins.'],
  ['a price', [limits({ maxDepth: 5 })], true, 'Add limits({ maxCost: 1000 }) and budget({ … }) to plugins.'],
  ['budget()', [limits({ maxCost: 5 })], {}, 'Add budget({ … }) to plugins.'],
  ['the directive that it names', bounds(), { hide: 'intern' }, 'to name a directive of the schema, got "intern".'],
] as const)
  test(`explore without ${what} is refused at the start`, async () => {
    const [logger, lines] = recordingLogger();

    const { status } = await serveTools({ explore }, { logger, plugins }).modern('tools/list');

    assert.equal(status, 500);
    assert.equal(inspect(lines).includes(expected), true);
  });

test('a search without a known word shows what is near the root, or nothing if it has a limit', async () => {
  const { call } = serveExplorer();

  const [around, none] = [
    await call('search_schema', { query: 'xylophone' }),
    await call('search_schema', { query: 'xylophone', limit: 5 }),
  ];

  assert.match(around.structuredContent.sdl, /^type Author \{[^]*type Query \{/);
  assert.deepEqual(
    [around.structuredContent.paths, none.structuredContent, none.text],
    [[], { sdl: '', paths: [] }, 'Nothing was found. Try other words.'],
  );
});

test('a caller whom context refuses searches nothing', async () => {
  const context = (): never => {
    throw new AuthenticationError('Sign in.');
  };

  const response = await serveExplorer({}, { context }).modern('tools/call', { name: 'search_schema', arguments: { query: 'book' } });

  assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer']);
});

test('descriptions lose characters that people cannot see, and are cut after 500', async () => {
  const hidden = JSON.stringify('A\u{202E}B\u{200B}C\u{E0041}\u0007D\n\nE');
  const long = 'x'.repeat(501);
  const typeDefs = `type Query { ${hidden} first: Int  "${long}" second: Int }`;

  const { structuredContent } = await serveExplorer({ explore: true }, { typeDefs, resolvers: {} }).call('search_schema', {
    query: 'first second',
  });

  assert.deepEqual(structuredContent.sdl.match(/"(.*)"/g).toSorted(), ['"A B C D E"', `"${'x'.repeat(499)}…"`]);
});
