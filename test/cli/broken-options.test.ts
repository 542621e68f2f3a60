import { functionOf, testBreaks } from '../support/broken-projects.ts';

// Schemas and options that are wrong in the ways in which people get them wrong.

const file = 'functions/graphql.ts';

testBreaks({
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
  'a directive that nobody has defined': {
    files: { [file]: functionOf('export default createHandler({', '  typeDefs: gql`type Query { me: String @auth }`,', '});') },
    expected: /functions\/graphql\.ts:3:41 Unknown directive "@auth"\./,
  },
  'a schema without queries': {
    files: { [file]: functionOf('export default createHandler({', "  typeDefs: 'type Mutation { ok: Boolean }',", '});') },
    expected: /functions\/graphql\.ts:3:14 typeDefs define no "type Query", where every query starts\. They define "Mutation"\./,
  },
  'a value that the enum has not': {
    files: {
      [file]: functionOf(
        'export default createHandler({',
        "  typeDefs: 'enum Genre { NOVEL } type Query { genre: Genre }',",
        '  resolvers: { Genre: { NOVEL: 1, POEM: 2 } },',
        '});',
      ),
    },
    expected: /functions\/graphql\.ts:4:35 resolvers\.Genre names the value "POEM"[^\n]*It has "NOVEL"/,
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
    expected: /functions\/graphql\.ts:4:25 resolvers\.Query\.ok takes a function[^\n]*got a string[^\n]*\(\) => …/,
  },
  'no schema': {
    files: { [file]: functionOf('export default createHandler({', '  resolvers: {},', '});') },
    expected: /functions\/graphql\.ts:2:16 Give the schema as `typeDefs`/,
  },
  'no options': {
    files: { [file]: functionOf('', 'export default createHandler();') },
    expected: /functions\/graphql\.ts:3:16 Expected options like \{ typeDefs, resolvers \}, got undefined\./,
  },
  'options that are not handed to createHandler': {
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
    expected: /functions\/graphql\.ts:4:3 cors\.credentials needs cors\.origin to name who may read answers/,
  },
});
