/** What a query may have besides its hints. */
interface Given {
  readonly variables?: object;
  readonly defaultMaxAge?: number;
  readonly resolvers?: object;
}

/** The lifetime in seconds, or 'private' for an answer that no shared cache may store. */
type Lifetime = number | 'private';
type Row = readonly [behavior: string, query: string, lifetime: Lifetime, given?: Given];

const droid = { id: '1', name: 'R2', friends: [{ id: '2', name: 'Luke', friends: [] }] };
const bar = { scalar: 'x', cachedScalar: 'y' };
const fields = { cachedField: 'x', scalarField: 'y', uncachedField: { cachedField: 'z' } };
const book = { title: 'x', cachedTitle: 'y' };
const product = { __typename: 'Product', id: '1', name: 'x' };
const named = { name: 'x' };
/** The values of root fields. */
export const root = {
  droid,
  droids: [droid, droid],
  name: 'x',
  node: { __typename: 'Droid', ...droid },
  dynamic: droid,
  none: null,
  named: { __typename: 'Droid', ...droid },
  alien: droid,
  topLevel: { droid: fields, droids: [fields, fields] },
  foo: { bar, defaultBar: bar },
  book,
  cachedBook: book,
  reader: { book },
  entity: product,
  open: product,
  found: [product],
  media: { __typename: 'Book', name: 'x' },
  sealed: { __typename: 'Letter', name: 'x', secret: 'y' },
  letter: { ...named, related: named, copy: named },
};

/** How the hints of a schema combine, as in Apollo Server's cache-control plugin: rows by schema. */
const inSchema: readonly (readonly [typeDefs: string, ...rows: Row[]])[] = [
  [
    'type Query { droid: Droid } type Droid { id: ID! }',
    ['a root field without a hint has the lifetime 0', '{ droid { id } }', 'private'],
    ['a root field without a hint has the default lifetime', '{ droid { id } }', 10, { defaultMaxAge: 10 }],
  ],
  [
    'type Query { name: String }',
    ['a root field of a scalar type has the default lifetime too', '{ name }', 'private'],
    ['an operation without hints, such as { __typename }, is not kept', '{ __typename }', 'private'],
  ],
  ['type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! }', ['the hint of a field counts', '{ droid { id } }', 60]],
  ['type Query { droid: Droid } type Droid @cacheControl(maxAge: 60) { id: ID! }', ['the hint of a type counts', '{ droid { id } }', 60]],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 120) } type Droid @cacheControl(maxAge: 60) { id: ID! }',
    ['the hint of a field replaces that of its type', '{ droid { id } }', 120],
  ],
  [
    'type Query { droid: Droid } type Droid { id: ID! } extend type Droid @cacheControl(maxAge: 30)',
    ['the hint of a type extension counts', '{ droid { id } }', 30],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(maxAge: 5) }',
    ['the smallest of all hints wins', '{ droid { id name } }', 5],
    ['fields of fragments count', '{ droid { ...F } } fragment F on Droid { ... { name } }', 5],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String }',
    ['a leaf without a hint sets no limit', '{ droid { id name } }', 60],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] }',
    ['a nested field with selections has the default lifetime', '{ droid { id friends { id } } }', 'private'],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true) }',
    ['a field with inheritMaxAge has the lifetime of its parent', '{ droid { id friends { id } } }', 60],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid @cacheControl(inheritMaxAge: true) { id: ID! friends: [Droid] }',
    ['inheritMaxAge of a type applies to fields of the type', '{ droid { id friends { id } } }', 60],
  ],
  [
    'type Query { droid: Droid @cacheControl(inheritMaxAge: true) } type Droid { id: ID! }',
    ['inheritMaxAge has no effect at the root', '{ droid { id } }', 7, { defaultMaxAge: 7 }],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid @cacheControl(maxAge: 20) { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true) }',
    ['inheritMaxAge does not override the lifetime of a type', '{ droid { id friends { id } } }', 20],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(scope: PRIVATE) }',
    ['PRIVATE wins', '{ droid { name } }', 'private'],
    ['PRIVATE of a field that is not selected does not count', '{ droid { id } }', 60],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true, scope: PRIVATE) }',
    ['PRIVATE with inheritMaxAge counts', '{ droid { friends { id } } }', 'private'],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) name: String }',
    ['a skipped field does not count', 'query ($s: Boolean = true) { droid { id } name @skip(if: $s) }', 60],
    ['an included field counts', 'query ($s: Boolean!) { droid { id } name @include(if: $s) }', 'private', { variables: { s: true } }],
    [
      'a field that is not included does not count',
      'query ($s: Boolean!) { droid { id } name @include(if: $s) }',
      60,
      { variables: { s: false } },
    ],
  ],
  [
    'type Query { node: Node @cacheControl(maxAge: 60) } interface Node { id: ID! } type Droid implements Node { id: ID! name: String @cacheControl(maxAge: 9) }',
    ['the hints of all possible types of an interface count', '{ node { id ... on Droid { name } } }', 9],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 60) }',
    ['aliases change nothing', '{ a: droid { id } b: droid { x: id } }', 60],
    [
      'introspection and __typename set no limit beside a field with a hint',
      '{ __typename droid { __typename id } __schema { queryType { name } } }',
      60,
    ],
  ],
  ['type Query { name: String @cacheControl(maxAge: -5) }', ['a negative maxAge sets no lifetime', '{ name }', 'private']],
  [
    'type Query { droid: Droid } type Droid @cacheControl(maxAge: 0) { id: ID! name: String }',
    ['maxAge 0 of a type overrides the default', '{ droid { name } }', 'private', { defaultMaxAge: 10 }],
  ],
  [
    'type Query { droid: Droid @cacheControl(maxAge: 120) } type Droid @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }',
    ['the lifetime of a field keeps the scope of its type', '{ droid { name } }', 'private'],
  ],
  [
    'type Query { droid: Droid @cacheControl(scope: PRIVATE) } type Droid @cacheControl(maxAge: 60, scope: PUBLIC) { id: ID! name: String }',
    ['the scope of a field replaces that of its type', '{ droid { name } }', 'private'],
  ],
  [
    'type Query { droid: Droid @cacheControl(scope: PUBLIC) } type Droid @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! name: String }',
    ['PUBLIC of a field replaces PRIVATE of its type', '{ droid { name } }', 60],
  ],
  [
    'type Query { named: Named node: Droid alien: Alien } interface Named @cacheControl(maxAge: 60) { name: String } type Droid implements Named @cacheControl(maxAge: 30) { id: ID! name: String } type Alien implements Named @cacheControl(maxAge: 45) { id: ID! name: String }',
    [
      'a field of an interface has the strictest hint of the interface and of every type that may be there',
      '{ named { ... on Droid { id name } } }',
      30,
    ],
  ],
  [
    'type Query { named: Named node: Droid alien: Alien } interface Named @cacheControl(maxAge: 20) { name: String } type Droid implements Named @cacheControl(maxAge: 30) { id: ID! name: String } type Alien implements Named @cacheControl(maxAge: 45) { id: ID! name: String }',
    ['the hint of an interface counts if it is stricter than those of its types', '{ named { name } }', 20],
  ],
  [
    'type Query { named: Named node: Droid alien: Alien } interface Named @cacheControl(maxAge: 60) { name: String } type Droid implements Named @cacheControl(maxAge: 30) { id: ID! name: String } type Alien implements Named { id: ID! name: String }',
    [
      'a type without a lifetime has the default behind an interface, not the lifetime of the interface or of another type',
      '{ named { ... on Droid { id name } } }',
      10,
      { defaultMaxAge: 10 },
    ],
    ['a field of a type has the hint of the type, not of its interface', '{ node { id name } }', 30],
    ['a type without a hint does not have the hint of its interface', '{ alien { id name } }', 10, { defaultMaxAge: 10 }],
  ],
  [
    `type Query {
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
      type Plain { name: String }`,
    ['PRIVATE of a type counts behind an interface', '{ entity(id: 1) { id } }', 'private'],
    ['PRIVATE of a type counts behind a union, and in a list', '{ found { ... on Product { name } } }', 'private'],
    ['maxAge 0 of a type counts behind a union', '{ media { ... on Book { name } } }', 'private', { defaultMaxAge: 60 }],
    [
      'PRIVATE of a field of an interface counts for the same field of its types',
      '{ sealed { ... on Letter { name secret } } }',
      'private',
    ],
    ['PRIVATE of a field of an interface does not count for other fields', '{ sealed { name } }', 70],
    ['the lifetime of a field of an interface shortens that of the same field of a type', '{ letter { related { name } } }', 50],
    ['a field of an interface gives no lifetime to the same field of a type', '{ letter { copy { name } } }', 'private'],
    ['the hint of a field replaces those of all types behind an interface', '{ open { id } }', 80],
  ],
  [
    'type Query { topLevel: DroidQuery @cacheControl(maxAge: 1000) } type DroidQuery { droid: Droid @cacheControl(inheritMaxAge: true) droids: [Droid] @cacheControl(inheritMaxAge: true) } type Droid { uncachedField: Droid scalarField: String cachedField: String @cacheControl(maxAge: 30) }',
    ['a nested field can shorten an inherited lifetime', '{ topLevel { droid { cachedField } } }', 30],
    [
      'a field that does not inherit has the default, even below an object that inherits',
      '{ topLevel { droid { uncachedField { cachedField } cachedField } } }',
      'private',
    ],
    ['items of a list inherit', '{ topLevel { droids { cachedField scalarField } } }', 30],
    [
      'a field that does not inherit has the default, even below items of a list',
      '{ topLevel { droids { uncachedField { cachedField } cachedField } } }',
      'private',
    ],
  ],
  [
    'type Query { book: Book cachedBook: Book @cacheControl(maxAge: 60) reader: Reader @cacheControl(maxAge: 40) } type Book { title: String cachedTitle: String @cacheControl(maxAge: 30) } type Reader { book: Book @cacheControl(inheritMaxAge: true) }',
    ['a book without a hint, with a title that has one', '{ book { cachedTitle } }', 'private'],
    ['a book with a hint, with a title that has none', '{ cachedBook { title } }', 60],
    ['a book with a hint, with a title that has a shorter one', '{ cachedBook { cachedTitle } }', 30],
    ['a book that inherits from its reader', '{ reader { book { title } } }', 40],
  ],
  [
    'type Query { foo: Foo @cacheControl(maxAge: 5) } type Foo { bar: Bar @cacheControl(inheritMaxAge: true) defaultBar: Bar } type Bar { scalar: String cachedScalar: String @cacheControl(maxAge: 2) }',
    ['a scalar below an object with the default', '{ foo { defaultBar { scalar } } }', 'private'],
    ['a scalar with a hint below an object with the default', '{ foo { defaultBar { cachedScalar } } }', 'private'],
    ['a scalar below an object that inherits has the lifetime of its grandparent', '{ foo { bar { scalar } } }', 5],
    ['a scalar with a hint below an object that inherits has the lifetime of its hint', '{ foo { bar { cachedScalar } } }', 2],
  ],
];
// `any`, because resolvers read the schema, the path and the hints in it.
type Info = any;
type Args = [unknown, unknown, unknown, Info];
const withInfo =
  (use: (info: Info) => unknown) =>
  (...[, , , info]: Args): object => (use(info), droid);
/** Creates a resolver that sets a hint. */
export const hint = (given: object): ((...given: Args) => object) => withInfo(({ cacheControl }) => cacheControl.setCacheHint(given));
const dynamic = (resolver: unknown): Given => ({ resolvers: { Query: { dynamic: resolver }, Node: { __resolveType: () => 'Droid' } } });
const secretNode = `type Query { dynamic: Node @cacheControl(maxAge: 90) node: Node @cacheControl(maxAge: 90) } interface Node { id: ID! }
  type Secret implements Node @cacheControl(maxAge: 90, scope: PRIVATE) { id: ID! }`;
const withNode = 'interface Node { id: ID! } type Special implements Node @cacheControl(maxAge: 33) { id: ID! }';

/** Hints that resolvers set through `info.cacheControl`. */
const ofResolvers: typeof inSchema = [
  [
    `type Query { dynamic: Droid @cacheControl(maxAge: 60) } ${withNode}`,
    ['a resolver replaces the hint of the schema with a longer one', '{ dynamic { id } }', 100, dynamic(hint({ maxAge: 100 }))],
    ['a resolver sets the scope PRIVATE', '{ dynamic { id } }', 'private', dynamic(hint({ scope: 'PRIVATE' }))],
    ['restrict cannot lengthen a lifetime', '{ dynamic { id } }', 40, dynamic(restricting(100, 40))],
    [
      'a hint that a resolver sets after a wait counts',
      '{ dynamic { id } }',
      3,
      dynamic(async (...given: Args) => (await Promise.resolve(), hint({ maxAge: 3 })(...given))),
    ],
    [
      'cacheHintFromType returns the hint of the type',
      '{ dynamic { id } }',
      33,
      dynamic(withInfo(({ cacheControl, schema }) => cacheControl.setCacheHint(cacheControl.cacheHintFromType(schema.getType('Special'))))),
    ],
  ],
  [
    'type Query { dynamic: Droid droid: Droid @cacheControl(maxAge: 50) }',
    ['a resolver sets a lifetime if the schema does not', '{ dynamic { id } }', 100, dynamic(hint({ maxAge: 100 }))],
    ['a scope alone sets no lifetime', '{ dynamic { id } }', 'private', dynamic(hint({ scope: 'PUBLIC' }))],
    ['restrict sets a lifetime if the schema does not', '{ dynamic { id } }', 60, { ...dynamic(restricting(60)), defaultMaxAge: 10 }],
    ['hints of other fields count besides that of a resolver', '{ dynamic { id } droid { id } }', 50, dynamic(hint({ maxAge: 100 }))],
  ],
  [
    'type Query { droids: [Droid] @cacheControl(maxAge: 60) }',
    [
      'the strictest hint of the items of a list counts',
      '{ droids { name } }',
      8,
      {
        resolvers: {
          Droid: { name: (...[, , , { path, cacheControl }]: Args) => cacheControl.setCacheHint({ maxAge: path.prev.key === 1 ? 8 : 90 }) },
        },
      },
    ],
  ],
  [
    secretNode,
    [
      'the lifetime of a resolver does not replace PRIVATE of a type behind an interface',
      '{ dynamic { id } }',
      'private',
      dynamic(hint({ maxAge: 60 })),
    ],
    [
      'PUBLIC of a resolver replaces PRIVATE of a type behind an interface',
      '{ dynamic { id } }',
      60,
      dynamic(hint({ maxAge: 60, scope: 'PUBLIC' })),
    ],
    [
      'the hint of a resolver leaves those of other fields as strict as without it',
      '{ dynamic { id } node { id } }',
      'private',
      dynamic(hint({ maxAge: 60, scope: 'PUBLIC' })),
    ],
  ],
];

function restricting(...lifetimes: number[]): unknown {
  return withInfo(({ cacheControl }) => lifetimes.forEach((maxAge) => cacheControl.cacheHint.restrict({ maxAge })));
}

export const hintTable: typeof inSchema = [...inSchema, ...ofResolvers];
