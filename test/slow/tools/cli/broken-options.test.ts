import { functionOf, testBreaks } from '../../../support/broken-projects.ts';
import type { Break } from '../../../support/broken-projects.ts';
import { cases } from '../../../support/long-form.ts';

// Schemas and options with common mistakes.

const file = 'functions/graphql.ts';

const breaks: Readonly<Record<string, Break>> = {
  'a type that the schema does not define': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        '  typeDefs: gql`',
        '    type Query {',
        '      books: [Bok!]!',
        '    }',
        '    type Book { id: ID! }',
        '  `,',
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:5:15 Unknown type "Bok"\. Did you mean "Book"\?[^]*> 5 \|/,
  },
  'an option that does not exist': {
    files: {
      [file]: functionOf('export default createHandler({', "  typeDefs: 'type Query { ok: Boolean }',", '  resolver: {},', '});'),
    },
    expected: /functions\/graphql\.ts:4:3 Unknown option "resolver"\. Did you mean "resolvers"\?/,
  },
  'options of other servers': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: Boolean }',",
        '  playground: true,',
        '  subscriptions: {},',
        '} as never);',
      ),
    },
    expected:
      /functions\/graphql\.ts:4:3 Unknown option "playground", which is an option of another server\. [^\n]*landingPage[^]*functions\/graphql\.ts:5:3 Unknown option "subscriptions", [^\n]*server-sent events/,
  },
  'a field that is defined without a type': {
    files: {
      'graphql/schema.graphql': 'type Query {\n  ok\n}\n',
      [file]: functionOf("import typeDefs from '../graphql/schema.graphql';", 'export default createHandler({ typeDefs });'),
    },
    expected: /graphql\/schema\.graphql:3:1 [^]*Expected ":"/,
  },
  'a resolver of a field that the schema does not have': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: Boolean }',",
        '  resolvers: { Query: { okay: () => true } },',
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:4:31 [^\n]*okay/,
  },
  'data sources that are created only once': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: Boolean }',",
        '  dataSources: { books: {} },',
        '} as never);',
      ),
    },
    expected: /functions\/graphql\.ts:4:3 [^\n]*dataSources[^\n]*a function that returns new data sources/,
  },
  'a type without a field of its interface': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        '  typeDefs: gql`',
        '    interface Node { id: ID! }',
        '    type Query { book: Book }',
        '    type Book implements Node { title: String }',
        '  `,',
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:6:5 Interface field Node\.id expected but Book does not provide it\.[^]*> 6 \|/,
  },
  'an undefined directive': {
    files: { [file]: functionOf('export default createHandler({', '  typeDefs: gql`type Query { me: String @auth }`,', '});') },
    expected: /functions\/graphql\.ts:3:41 Unknown directive "@auth"\./,
  },
  'a schema without queries': {
    files: { [file]: functionOf('export default createHandler({', "  typeDefs: 'type Mutation { ok: Boolean }',", '});') },
    expected: /functions\/graphql\.ts:3:14 typeDefs define no "type Query", where every query starts\. They define "Mutation"\./,
  },
  'a value that the enum does not have': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'enum Genre { NOVEL } type Query { genre: Genre }',",
        '  resolvers: { Genre: { NOVEL: 1, POEM: 2 } },',
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:4:3 resolvers\.Genre names the value "POEM"[^\n]*It has "NOVEL"/,
  },
  'a value in place of a resolver': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: String }',",
        "  resolvers: { Query: { ok: 'yes' } },",
        '} as never);',
      ),
    },
    expected: /functions\/graphql\.ts:4:3 resolvers\.Query\.ok takes a function[^\n]*got a string[^\n]*\(\) => …/,
  },
  'no schema': {
    files: { [file]: functionOf('export default createHandler({', '  resolvers: {},', '});') },
    expected: /functions\/graphql\.ts:2:16 Set `typeDefs`/,
  },
  'no options': {
    files: { [file]: functionOf('', 'export default createHandler();') },
    expected: /functions\/graphql\.ts:3:16 Expected options like \{ typeDefs, resolvers \}, got undefined\./,
  },
  'options that are not passed to createHandler': {
    files: { [file]: functionOf("export default { typeDefs: 'type Query { ok: Boolean }' };") },
    expected: /its default export is an object with the keys typeDefs\. Write: export default createHandler\(\{ … \}\)/,
  },
  'a plugin that was not called': {
    files: {
      [file]: functionOf(
        "import { landingPage } from 'graphql-functions/landing-page';",
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: Boolean }',",
        '  plugins: [landingPage],',
        '} as never);',
      ),
    },
    expected: /functions\/graphql\.ts:5:3 Expected the option plugins to be a list of plugin objects/,
  },
  'credentials for every origin': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'type Query { ok: Boolean }',",
        "  cors: { origin: '*', credentials: true },",
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:4:3 cors\.credentials needs a cors\.origin like "https:\/\/example\.com"/,
  },
};

// createHandler throws all of these errors, and `dev` prints all of them in the same way: two examples suffice; test:slow runs all.
testBreaks(breaks, { toldByDev: cases({ short: 2, long: Number.POSITIVE_INFINITY }) });
