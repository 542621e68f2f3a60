import type { Row } from './hint-table.ts';

const droid = { id: '1', name: 'R2' };
const bar = { scalar: 'x', cachedScalar: 'y' };
const row = { cachedField: 'x', scalarField: 'y', uncachedField: { cachedField: 'z' } };
const book = { title: 'x', cachedTitle: 'y' };
/** The values of root fields. */
export const nestedRoot = {
  droid,
  named: { __typename: 'Droid', ...droid },
  alien: droid,
  topLevel: { droid: row, droids: [row, row] },
  foo: { bar, defaultBar: bar },
  book,
  cachedBook: book,
  reader: { book },
  entity: { __typename: 'Product', id: '1', name: 'x' },
  open: { __typename: 'Product', id: '1', name: 'x' },
  found: [{ __typename: 'Product', id: '1', name: 'x' }],
  media: { __typename: 'Book', name: 'x' },
  sealed: { __typename: 'Letter', name: 'x', secret: 'y' },
  letter: { name: 'x', related: { name: 'x' }, copy: { name: 'x' } },
};

const books =
  'type Query { book: Book cachedBook: Book @cacheControl(maxAge: 60) reader: Reader @cacheControl(maxAge: 40) } type Book { title: String cachedTitle: String @cacheControl(maxAge: 30) } type Reader { book: Book @cacheControl(inheritMaxAge: true) }';
const named =
  'type Query { named: Named node: Droid alien: Alien } interface Named @cacheControl(maxAge: 60) { name: String } type Droid implements Named @cacheControl(maxAge: 30) { id: ID! name: String } type Alien implements Named { id: ID! name: String }';
const accounts = `type Query {
    entity(id: ID): Entity @cacheControl(maxAge: 300) found: [Found] @cacheControl(maxAge: 300) media: Media
    sealed: Sealed @cacheControl(maxAge: 70) letter: Letter @cacheControl(maxAge: 70) open: Entity @cacheControl(maxAge: 80, scope: PUBLIC)
  }
  interface Entity { id: ID }
  type Product implements Entity @cacheControl(maxAge: 300) { id: ID name: String }
  type Account implements Entity @cacheControl(maxAge: 300, scope: PRIVATE) { id: ID name: String }
  union Found = Product | Account
  union Media @cacheControl(maxAge: 300) = Book | Film
  type Book @cacheControl(maxAge: 300) { name: String }
  type Film @cacheControl(maxAge: 0) { name: String }
  interface Sealed {
    name: String secret: String @cacheControl(scope: PRIVATE) related: Book @cacheControl(maxAge: 50) copy: Plain @cacheControl(maxAge: 50)
  }
  type Letter implements Sealed { name: String secret: String related: Book @cacheControl(maxAge: 60) copy: Plain }
  type Plain { name: String }`;
const inheriting =
  'type Query { topLevel: DroidQuery @cacheControl(maxAge: 1000) } type DroidQuery { droid: Droid @cacheControl(inheritMaxAge: true) droids: [Droid] @cacheControl(inheritMaxAge: true) } type Droid { uncachedField: Droid scalarField: String cachedField: String @cacheControl(maxAge: 30) }';
const grandparents =
  'type Query { foo: Foo @cacheControl(maxAge: 5) } type Foo { bar: Bar @cacheControl(inheritMaxAge: true) defaultBar: Bar } type Bar { scalar: String cachedScalar: String @cacheControl(maxAge: 2) }';

/** How hints of types, interfaces and parents combine. Some cases are those of Apollo Server's tests. */
export const nestedTable: readonly Row[] = [
  {
    name: 'maxAge 0 of a type overrides the default',
    typeDefs: 'type Query { droid: Droid } type Droid @cacheControl(maxAge: 0) { id: ID! name: String }',
    query: '{ droid { name } }',
    defaultMaxAge: 10,
    expected: 'private',
  },
  {
    name: 'the lifetime of a field keeps the scope of its type',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 120) } type Droid @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }',
    query: '{ droid { name } }',
    expected: 'private',
  },
  {
    name: 'the scope of a field replaces that of its type',
    typeDefs:
      'type Query { droid: Droid @cacheControl(scope: PRIVATE) } type Droid @cacheControl(maxAge: 60, scope: PUBLIC) { id: ID! name: String }',
    query: '{ droid { name } }',
    expected: 'private',
  },
  {
    name: 'PUBLIC of a field replaces PRIVATE of its type',
    typeDefs:
      'type Query { droid: Droid @cacheControl(scope: PUBLIC) } type Droid @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }',
    query: '{ droid { name } }',
    expected: 60,
  },
  {
    name: 'a field of an interface has the strictest hint of the interface and of every type that may be there',
    typeDefs: named.replace('type Alien implements Named', 'type Alien implements Named @cacheControl(maxAge: 45)'),
    query: '{ named { ... on Droid { id name } } }',
    expected: 30,
  },
  {
    name: 'the hint of an interface counts if it is stricter than those of its types',
    typeDefs: named
      .replace('maxAge: 60', 'maxAge: 20')
      .replace('type Alien implements Named', 'type Alien implements Named @cacheControl(maxAge: 45)'),
    query: '{ named { name } }',
    expected: 20,
  },
  {
    name: 'a type without a lifetime has the default behind an interface, not the lifetime of the interface or of another type',
    typeDefs: named,
    query: '{ named { ... on Droid { id name } } }',
    defaultMaxAge: 10,
    expected: 10,
  },
  {
    name: 'PRIVATE of a type counts behind an interface',
    typeDefs: accounts,
    query: '{ entity(id: 1) { id } }',
    expected: 'private',
  },
  {
    name: 'PRIVATE of a type counts behind a union, and in a list',
    typeDefs: accounts,
    query: '{ found { ... on Product { name } } }',
    expected: 'private',
  },
  {
    name: 'maxAge 0 of a type counts behind a union',
    typeDefs: accounts,
    query: '{ media { ... on Book { name } } }',
    defaultMaxAge: 60,
    expected: 'private',
  },
  {
    name: 'PRIVATE of a field of an interface counts for the same field of its types',
    typeDefs: accounts,
    query: '{ sealed { ... on Letter { name secret } } }',
    expected: 'private',
  },
  {
    name: 'PRIVATE of a field of an interface does not count for other fields',
    typeDefs: accounts,
    query: '{ sealed { name } }',
    expected: 70,
  },
  {
    name: 'the lifetime of a field of an interface shortens that of the same field of a type',
    typeDefs: accounts,
    query: '{ letter { related { name } } }',
    expected: 50,
  },
  {
    name: 'a field of an interface gives no lifetime to the same field of a type',
    typeDefs: accounts,
    query: '{ letter { copy { name } } }',
    expected: 'private',
  },
  {
    name: 'the hint of a field replaces those of all types behind an interface',
    typeDefs: accounts,
    query: '{ open { id } }',
    expected: 80,
  },
  {
    name: 'a field of a type has the hint of the type, not of its interface',
    typeDefs: named,
    query: '{ node { id name } }',
    expected: 30,
  },
  {
    name: 'a type without a hint does not have the hint of its interface',
    typeDefs: named,
    query: '{ alien { id name } }',
    defaultMaxAge: 10,
    expected: 10,
  },
  {
    name: 'a nested field can shorten an inherited lifetime',
    typeDefs: inheriting,
    query: '{ topLevel { droid { cachedField } } }',
    expected: 30,
  },
  {
    name: 'a field that does not inherit has the default, even below an object that inherits',
    typeDefs: inheriting,
    query: '{ topLevel { droid { uncachedField { cachedField } cachedField } } }',
    expected: 'private',
  },
  {
    name: 'items of a list inherit',
    typeDefs: inheriting,
    query: '{ topLevel { droids { cachedField scalarField } } }',
    expected: 30,
  },
  {
    name: 'a field that does not inherit has the default, even below items of a list',
    typeDefs: inheriting,
    query: '{ topLevel { droids { uncachedField { cachedField } cachedField } } }',
    expected: 'private',
  },
  {
    name: 'a book without a hint, with a title that has one',
    typeDefs: books,
    query: '{ book { cachedTitle } }',
    expected: 'private',
  },
  {
    name: 'a book with a hint, with a title that has none',
    typeDefs: books,
    query: '{ cachedBook { title } }',
    expected: 60,
  },
  {
    name: 'a book with a hint, with a title that has a shorter one',
    typeDefs: books,
    query: '{ cachedBook { cachedTitle } }',
    expected: 30,
  },
  {
    name: 'a book that inherits from its reader',
    typeDefs: books,
    query: '{ reader { book { title } } }',
    expected: 40,
  },
  {
    name: 'a scalar below an object with the default',
    typeDefs: grandparents,
    query: '{ foo { defaultBar { scalar } } }',
    expected: 'private',
  },
  {
    name: 'a scalar with a hint below an object with the default',
    typeDefs: grandparents,
    query: '{ foo { defaultBar { cachedScalar } } }',
    expected: 'private',
  },
  {
    name: 'a scalar below an object that inherits has the lifetime of its grandparent',
    typeDefs: grandparents,
    query: '{ foo { bar { scalar } } }',
    expected: 5,
  },
  {
    name: 'a scalar with a hint below an object that inherits has the lifetime of its hint',
    typeDefs: grandparents,
    query: '{ foo { bar { cachedScalar } } }',
    expected: 2,
  },
];
