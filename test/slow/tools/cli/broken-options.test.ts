import { functionOf, testBreaks } from '../../../support/broken-projects.ts';
import type { Break } from '../../../support/broken-projects.ts';
import { cases } from '../../../support/long-form.ts';

// Schemas and options with common mistakes.

const file = 'functions/graphql.ts';
const ok = "typeDefs: 'type Query { ok: Boolean }',";

/** A function with these lines of options, from the third line of the file on, and the message about it. */
function options(lines: readonly string[], expected: RegExp): Break {
  const indented = lines.map((line) => `  ${line}`);
  return { files: { [file]: functionOf('export default createHandler({', ...indented, '} as never);') }, expected };
}

const breaks: Readonly<Record<string, Break>> = {
  'a type that the schema does not define': options(
    ['typeDefs: gql`', '  type Query {', '    books: [Bok!]!', '  }', '  type Book { id: ID! }', '`,'],
    /functions\/graphql\.ts:5:15 Unknown type "Bok"\. Did you mean "Book"\?[^]*> 5 \|/,
  ),
  'an option that does not exist': options(
    [ok, 'resolver: {},'],
    /functions\/graphql\.ts:4:3 Unknown option "resolver"\. Did you mean "resolvers"\?/,
  ),
  'options of other servers': options(
    [ok, 'playground: true,', 'subscriptions: {},'],
    /functions\/graphql\.ts:4:3 Unknown option "playground", which is an option of another server\. [^\n]*landingPage[^]*functions\/graphql\.ts:5:3 Unknown option "subscriptions", [^\n]*server-sent events/,
  ),
  'a field that is defined without a type': {
    files: {
      'graphql/schema.graphql': 'type Query {\n  ok\n}\n',
      [file]: functionOf("import typeDefs from '../graphql/schema.graphql';", 'export default createHandler({ typeDefs });'),
    },
    expected: /graphql\/schema\.graphql:3:1 [^]*Expected ":"/,
  },
  'a resolver of a field that the schema does not have': options(
    [ok, 'resolvers: { Query: { okay: () => true } },'],
    /functions\/graphql\.ts:4:31 [^\n]*okay/,
  ),
  'data sources that are created only once': options(
    [ok, 'dataSources: { books: {} },'],
    /functions\/graphql\.ts:4:3 [^\n]*dataSources[^\n]*a function that returns new data sources/,
  ),
  'a type without a field of its interface': options(
    [
      'typeDefs: gql`',
      '  interface Node { id: ID! }',
      '  type Query { book: Book }',
      '  type Book implements Node { title: String }',
      '`,',
    ],
    /functions\/graphql\.ts:6:5 Interface field Node\.id expected but Book does not provide it\.[^]*> 6 \|/,
  ),
  'an undefined directive': options(
    ['typeDefs: gql`type Query { me: String @auth }`,'],
    /functions\/graphql\.ts:3:41 Unknown directive "@auth"\. Define it in typeDefs\./,
  ),
  'a schema without queries': options(
    ["typeDefs: 'type Mutation { ok: Boolean }',"],
    /functions\/graphql\.ts:3:14 typeDefs define no "type Query", where every query starts\. They define "Mutation"\./,
  ),
  'a value that the enum does not have': options(
    ["typeDefs: 'enum Genre { NOVEL } type Query { genre: Genre }',", 'resolvers: { Genre: { NOVEL: 1, POEM: 2 } },'],
    /functions\/graphql\.ts:4:3 resolvers\.Genre names the value "POEM"[^\n]*It has "NOVEL"/,
  ),
  'a value in place of a resolver': options(
    [ok, "resolvers: { Query: { ok: 'yes' } },"],
    /functions\/graphql\.ts:4:3 resolvers\.Query\.ok takes a function[^\n]*got a string[^\n]*\(\) => …/,
  ),
  'no schema': options(['resolvers: {},'], /functions\/graphql\.ts:2:16 Set `typeDefs`/),
  'no options': {
    files: { [file]: functionOf('', 'export default createHandler();') },
    expected: /functions\/graphql\.ts:3:16 Expected options like \{ typeDefs, resolvers \}, got undefined\./,
  },
  'options that are not passed to createHandler': {
    files: { [file]: functionOf(`export default { ${ok} };`) },
    expected: /its default export is an object with the keys typeDefs\. Write: export default createHandler\(\{ … \}\)/,
  },
  'a plugin that was not called': options(
    [ok, 'plugins: [function plugin() {}],'],
    /functions\/graphql\.ts:4:3 Expected the option plugins to be a list of plugin objects/,
  ),
  'credentials for every origin': options(
    [ok, "cors: { origin: '*', credentials: true },"],
    /functions\/graphql\.ts:4:3 cors\.credentials needs a cors\.origin like "https:\/\/example\.com"/,
  ),
};

// createHandler throws all of these errors, and `dev` prints all of them in the same way: two examples suffice; test:slow runs all.
testBreaks(breaks, { toldByDev: cases({ short: 2, long: Number.POSITIVE_INFINITY }) });
