import type { GivenCaller } from './text-server.ts';

/** What an operation of a caller is answered with. */
export type Expected =
  | 'allowed'
  | 'masked 500'
  | readonly [code: 'UNAUTHENTICATED' | 'FORBIDDEN', missing: readonly string[], needed: readonly string[]];

/** One rule of the contract, or one hole that another implementation had. */
export interface Row {
  readonly title: string;
  readonly operation: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly caller?: GivenCaller;
  readonly expected: Expected;
  /** The claims and policies that are asked, if that matters. */
  readonly asks?: readonly string[];
  /** The policies that are asked, in order, if that matters. */
  readonly asksPolicies?: readonly string[];
}

export interface Group {
  readonly typeDefs: string;
  readonly rows: readonly Row[];
}

const unauthenticated: Expected = ['UNAUTHENTICATED', [], []];
const user: GivenCaller = { claims: [] };
const holding = (...claims: readonly string[]): GivenCaller => ({ claims });

/** The groups by what they are about. Without `caller`, nobody has signed in. */
export const groups: Readonly<Record<string, Group>> = {
  'types that implement': {
    typeDefs: `
      type Query { node: Node book: Book search: Hit nodes: [[Node!]]! }
      interface Node { id: ID owner: Node }
      type Book implements Node { id: ID owner: Node title: String }
      type User implements Node @authenticated { id: ID owner: Node name: String }
      union Hit = Book | User`,
    rows: [
      // The first prototype, and the first of Apollo's advisories, answered.
      { title: 'a field of the interface needs the rules of every type', operation: '{ node { id } }', expected: unauthenticated },
      { title: 'somebody may read it', operation: '{ node { id } }', caller: user, expected: 'allowed' },
      { title: 'one type does not need the rules of another', operation: '{ node { ... on Book { id } } }', expected: 'allowed' },
      {
        title: 'a fragment on the interface inside narrows nothing',
        operation: '{ node { ... on Node { id } } }',
        expected: unauthenticated,
      },
      { title: 'a fragment around it narrows', operation: '{ node { ... on Book { ... on Node { id } } } }', expected: 'allowed' },
      { title: 'a fragment on the union', operation: '{ search { ... on Node { id } } }', expected: unauthenticated },
      { title: '__typename names every type', operation: '{ node { __typename } }', expected: unauthenticated },
      { title: '__typename of a union, with an alias', operation: '{ search { kind: __typename } }', expected: unauthenticated },
      { title: '__typename of one type', operation: '{ node { ... on Book { __typename } } }', expected: 'allowed' },
      { title: 'lists of lists', operation: '{ nodes { id } }', expected: unauthenticated },
      { title: 'below another type', operation: '{ book { owner { id } } }', expected: unauthenticated },
      { title: 'an alias', operation: '{ x: node { y: id } }', expected: unauthenticated },
      { title: 'a type without rules', operation: '{ book { id title } }', expected: 'allowed' },
    ],
  },
  'fields of types that implement': {
    typeDefs: `
      type Query { node: Node book: Book user: User }
      interface Node { id: ID }
      type Book implements Node { id: ID @requiresScopes(scopes: [["read:books"]]) }
      type User implements Node { id: ID }`,
    rows: [
      {
        title: 'a rule of the field in one type counts for the interface',
        operation: '{ node { id } }',
        caller: user,
        expected: ['FORBIDDEN', ['read:books'], ['read:books']],
      },
      { title: 'the other type does not have it', operation: '{ user { id } }', expected: 'allowed' },
      { title: 'neither has the type condition', operation: '{ node { ... on User { id } } }', expected: 'allowed' },
    ],
  },
  // Apollo's GHSA-mx7m-j9xf-62hw: rules of interfaces were passed by fragments on the object types.
  'rules of interfaces': {
    typeDefs: `
      type Query { node: Node book: Book any: Any draft: Draft }
      interface Any { id: ID @requiresScopes(scopes: [["any:id"]]) }
      interface Node implements Any @authenticated { id: ID title: String @requiresScopes(scopes: [["node:title"]]) }
      type Book implements Any & Node { id: ID title: String }
      type Draft implements Any { id: ID }
      union Hit = Book`,
    rows: [
      { title: 'count for the object type', operation: '{ book { __typename } }', expected: unauthenticated },
      { title: 'count for an interface that is returned', operation: '{ node { id @skip(if: true) } }', expected: unauthenticated },
      {
        title: 'the field of the interface, by a fragment on the object type',
        operation: '{ node { ... on Book { title } } }',
        caller: user,
        expected: ['FORBIDDEN', ['node:title'], ['node:title']],
      },
      {
        title: 'the field of the interface, in the object',
        operation: '{ book { title } }',
        caller: user,
        expected: ['FORBIDDEN', ['node:title'], ['node:title']],
      },
      {
        title: 'a field of an interface of the interface',
        operation: '{ book { id } }',
        caller: holding('node:title'),
        expected: ['FORBIDDEN', ['any:id'], ['any:id']],
      },
      { title: 'a type of only the outer interface', operation: '{ draft { id } }', caller: holding('any:id'), expected: 'allowed' },
      {
        title: 'an outer interface does not have the rules of inner ones',
        operation: '{ any { ... on Draft { __typename } } }',
        expected: 'allowed',
      },
      { title: 'but its field may', operation: '{ any { id } }', expected: ['UNAUTHENTICATED', ['any:id'], ['any:id']] },
    ],
  },
  'conditions that exclude each other': {
    typeDefs: `
      type Query { node: Node }
      interface Node { id: ID }
      interface Left { id: ID }
      interface Right { id: ID }
      type Book implements Node & Left { id: ID }
      type User implements Node & Left & Right @authenticated { id: ID }
      type Group implements Node & Right { id: ID }`,
    rows: [
      { title: 'both leave the protected type', operation: '{ node { ... on Left { ... on Right { id } } } }', expected: unauthenticated },
      {
        title: 'three leave no type',
        operation: '{ node { ... on Book { ... on Left { ... on Right { id } } } } }',
        expected: 'allowed',
      },
      { title: 'one leaves others', operation: '{ node { ... on Group { ... on Right { id } } } }', expected: 'allowed' },
    ],
  },
  'the object itself': {
    typeDefs: `
      type Query { user: User users: [User!] node: Node hit: Hit token: Token }
      type Mutation { deleteUser: User deleteNode: Node renameBook: Book }
      interface Node { id: ID }
      type Book implements Node { id: ID }
      type User implements Node @authenticated { id: ID }
      interface Token @requiresScopes(scopes: [["tokens"]]) { id: ID }
      type Key implements Token { id: ID }
      union Hit = Book | User`,
    rows: [
      { title: 'a list tells how many there are', operation: '{ users { id @skip(if: true) } }', expected: unauthenticated },
      {
        title: 'a list, by a variable',
        operation: 'query ($t: Boolean!) { users { id @skip(if: $t) } }',
        variables: { t: true },
        expected: unauthenticated,
      },
      { title: 'an object is not null', operation: '{ user { id @include(if: false) } }', expected: unauthenticated },
      { title: 'the resolver of a mutation runs', operation: 'mutation { deleteUser { id @skip(if: true) } }', expected: unauthenticated },
      { title: 'a fragment that does not match', operation: '{ user { ... on Node { ... on Book { id } } } }', expected: unauthenticated },
      {
        title: 'an interface that is returned',
        operation: '{ token { id @skip(if: true) } }',
        caller: user,
        expected: ['FORBIDDEN', ['tokens'], ['tokens']],
      },
      {
        title: 'other types of an interface do not count',
        operation: 'mutation { deleteNode { ... on Book { id } } }',
        expected: 'allowed',
      },
      { title: 'other types of a union do not count', operation: '{ hit { ... on Book { id } } }', expected: 'allowed' },
      { title: 'nothing of an interface is selected', operation: '{ node { id @skip(if: true) } }', expected: 'allowed' },
      { title: 'the second field of a mutation', operation: 'mutation { renameBook { id } deleteUser { id } }', expected: unauthenticated },
    ],
  },
  'covariant types': {
    typeDefs: `
      type Query { node: Node book: Book film: Film }
      interface Node { owner: Actor }
      interface Actor { name: String }
      type Book implements Node { owner: User }
      type Film implements Node { owner: Bot }
      type User implements Actor @authenticated { name: String }
      type Bot implements Actor { name: String }`,
    rows: [
      { title: 'the field of the object type counts', operation: '{ book { owner { name } } }', expected: unauthenticated },
      { title: 'and not the other types of the interface', operation: '{ film { owner { name } } }', expected: 'allowed' },
      { title: 'all of them count for the interface', operation: '{ node { owner { name } } }', expected: unauthenticated },
      { title: 'a fragment narrows the type of the field', operation: '{ node { ... on Film { owner { name } } } }', expected: 'allowed' },
      {
        title: 'the object itself, by the type of the object type',
        operation: '{ node { owner { ... on Bot { name } } } }',
        expected: unauthenticated,
      },
    ],
  },
  'enums and scalars': {
    typeDefs: `
      type Query { level: Level levels: [Level!]! secret: Secret find(level: Level, by: By): Int item: Item }
      type Item { level: Level name: String }
      enum Level @authenticated { LOW }
      scalar Secret
      extend scalar Secret @requiresScopes(scopes: [["secrets"]])
      input By { level: Level }`,
    rows: [
      { title: 'an enum', operation: '{ level }', expected: unauthenticated },
      { title: 'a list of an enum', operation: '{ levels }', expected: unauthenticated },
      { title: 'an enum in an object', operation: '{ item { level } }', expected: unauthenticated },
      { title: 'a scalar, by its extension', operation: '{ secret }', caller: user, expected: ['FORBIDDEN', ['secrets'], ['secrets']] },
      { title: 'arguments have no rules', operation: '{ find(level: LOW) }', expected: 'allowed' },
      { title: 'input types have no rules', operation: '{ find(by: { level: LOW }) }', expected: 'allowed' },
      {
        title: 'variables have no rules',
        operation: 'query ($l: Level) { find(level: $l) }',
        variables: { l: 'LOW' },
        expected: 'allowed',
      },
    ],
  },
  'root types': {
    typeDefs: `
      type Query @authenticated { open: Int }
      type Mutation { write: Int self: Query }
      extend type Mutation @requiresScopes(scopes: [["write"]])
      type Subscription { ticks: Int count: Int @requiresScopes(scopes: [["count"]]) }`,
    rows: [
      { title: 'a field of the root', operation: '{ open }', expected: unauthenticated },
      { title: '__typename of the root', operation: '{ __typename }', expected: unauthenticated },
      {
        title: 'introspection is exempt',
        operation: '{ __schema { queryType { name } } __type(name: "Query") { name } }',
        expected: 'allowed',
      },
      { title: 'beside introspection', operation: '{ __schema { queryType { name } } open }', expected: unauthenticated },
      {
        title: 'the root of mutations, by its extension',
        operation: 'mutation { write }',
        caller: user,
        expected: ['FORBIDDEN', ['write'], ['write']],
      },
      {
        title: 'a root as an object',
        operation: 'mutation { self { open @skip(if: true) } }',
        expected: ['UNAUTHENTICATED', ['write'], ['write']],
      },
      { title: 'a subscription', operation: 'subscription { count }', caller: user, expected: ['FORBIDDEN', ['count'], ['count']] },
      { title: 'a subscription that needs nothing', operation: 'subscription { ticks }', expected: 'allowed' },
    ],
  },
  'skip and include': {
    typeDefs: 'type Query { open: Int closed: Int @authenticated part: Part } type Part { open: Int closed: Int @authenticated }',
    rows: [
      { title: 'a literal that leaves out', operation: '{ open closed @skip(if: true) }', expected: 'allowed', asks: [] },
      { title: 'a literal that includes', operation: '{ open closed @include(if: true) }', expected: unauthenticated },
      {
        title: 'a variable that leaves out',
        operation: 'query ($t: Boolean!) { open closed @include(if: $t) }',
        variables: { t: false },
        expected: 'allowed',
        asks: [],
      },
      {
        title: 'the same document with the other value',
        operation: 'query ($t: Boolean!) { open closed @include(if: $t) }',
        variables: { t: true },
        expected: unauthenticated,
      },
      { title: 'a default that leaves out', operation: 'query ($t: Boolean = true) { open closed @skip(if: $t) }', expected: 'allowed' },
      {
        title: 'a value in place of the default',
        operation: 'query ($t: Boolean = true) { open closed @skip(if: $t) }',
        variables: { t: false },
        expected: unauthenticated,
      },
      {
        title: 'null counts as included: skip',
        operation: 'query ($t: Boolean = true) { part { open closed @skip(if: $t) } }',
        variables: { t: null },
        expected: unauthenticated,
      },
      {
        title: 'null counts as included: include',
        operation: 'query ($t: Boolean = false) { part { open closed @include(if: $t) } }',
        variables: { t: null },
        expected: unauthenticated,
      },
      { title: 'one of two conditions leaves out', operation: '{ open closed @skip(if: false) @include(if: false) }', expected: 'allowed' },
      { title: 'on a fragment', operation: '{ open ... @skip(if: false) { closed } }', expected: unauthenticated },
      { title: 'on a spread', operation: '{ open ...F @include(if: false) } fragment F on Query { closed }', expected: 'allowed' },
      { title: 'twice, once left out', operation: '{ closed @skip(if: true) part { open } x: closed }', expected: unauthenticated },
    ],
  },
  'fragments and documents': {
    typeDefs: `
      type Query { a: A b: B open: Int closed: Int @authenticated both: Both }
      union Both = A | B
      interface Named { name: String }
      type A implements Named { name: String }
      type B implements Named { name: String @authenticated }`,
    rows: [
      {
        title: 'a fragment at a second type',
        operation: '{ a { ...N } b { ...N } } fragment N on Named { name }',
        expected: unauthenticated,
      },
      {
        title: 'a fragment in a fragment, after another use',
        operation: '{ a { ...N } ...R } fragment R on Query { both { ...N } } fragment N on Named { name }',
        expected: unauthenticated,
      },
      { title: 'a fragment at one type', operation: '{ a { ...N } } fragment N on Named { name }', expected: 'allowed' },
      {
        title: 'an operation beside the chosen one',
        operation: 'query X { closed } query Y { open }',
        operationName: 'Y',
        expected: 'allowed',
      },
      { title: 'the chosen one', operation: 'query Y { open } query X { closed }', operationName: 'X', expected: unauthenticated },
    ],
  },
  'extensions of types': {
    typeDefs: `
      type Query { user: User node: Node level: Level }
      type User { id: ID }
      extend type User @authenticated
      extend type User { name: String @requiresScopes(scopes: [["names"]]) }
      interface Node { id: ID }
      extend interface Node @requiresScopes(scopes: [["nodes"]])
      type Book implements Node { id: ID }
      enum Level { LOW }
      extend enum Level @authenticated`,
    rows: [
      { title: 'of an object type', operation: '{ user { id } }', expected: unauthenticated },
      { title: 'with a field', operation: '{ user { name } }', caller: user, expected: ['FORBIDDEN', ['names'], ['names']] },
      {
        title: 'of an interface',
        operation: '{ node { ... on Book { id } } }',
        caller: user,
        expected: ['FORBIDDEN', ['nodes'], ['nodes']],
      },
      { title: 'of an enum', operation: '{ level }', expected: unauthenticated },
    ],
  },
  'directives that are imported with other names': {
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", { name: "@authenticated", as: "@auth" }, { name: "@requiresScopes", as: "@policy" }])
      type Query { renamed: Int @auth prefixed: Int @federation__policy(policies: [["owner"]]) swapped: Int @policy(scopes: [["swap"]]) open: Int }`,
    rows: [
      { title: 'a new name', operation: '{ renamed }', expected: unauthenticated },
      { title: 'the prefix', operation: '{ prefixed }', expected: ['FORBIDDEN', [], []] },
      { title: 'the name of another directive', operation: '{ swapped }', caller: user, expected: ['FORBIDDEN', ['swap'], ['swap']] },
      { title: 'no directive', operation: '{ open }', expected: 'allowed', asks: [] },
    ],
  },
  'a link with another name': {
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", as: "fed", import: ["@key"])
      type Query { prefixed: Int @fed__authenticated }`,
    rows: [{ title: 'the prefix is the name of the link', operation: '{ prefixed }', expected: unauthenticated }],
  },
  'a link to the link specification with another name': {
    typeDefs: `
      extend schema @lnk(url: "https://specs.apollo.dev/link/v1.0", as: "lnk") @lnk(url: "https://specs.apollo.dev/federation/v2.9", import: [{ name: "@authenticated", as: "@auth" }])
      type Query { renamed: Int @auth }`,
    rows: [{ title: 'its imports count', operation: '{ renamed }', expected: unauthenticated }],
  },
  'a protected root of a subgraph': {
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated"])
      type Query @authenticated { open: Int }
      type Book @key(fields: "id") { id: ID }`,
    rows: [
      { title: '_service is exempt', operation: '{ sdl: _service { sdl } }', expected: 'allowed', asks: [] },
      { title: '_service beside a field', operation: '{ _service { sdl } open }', expected: unauthenticated },
      { title: '_entities is not', operation: '{ _entities(representations: []) { __typename } }', expected: unauthenticated },
    ],
  },
  'representations of entities': {
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated", "@requiresScopes"])
      type Query { open: Int }
      type Book @key(fields: "id") { id: ID }
      type User @key(fields: "id") @authenticated { id: ID }
      type Keyless @authenticated { id: ID }
      interface Media @key(fields: "id") @requiresScopes(scopes: [["media"]]) { id: ID }
      type Film implements Media @key(fields: "id") { id: ID }
      type Song implements Media @key(fields: "id") @requiresScopes(scopes: [["songs"]]) { id: ID }`,
    rows: [
      {
        title: 'a type that needs nothing',
        operation: '{ _entities(representations: [{ __typename: "Book", id: 1 }]) { __typename ... on User { id } } }',
        expected: 'allowed',
      },
      {
        title: 'a literal, whatever is selected',
        operation: '{ _entities(representations: [{ __typename: "User", id: 1 }]) { ... on Book { id } } }',
        expected: unauthenticated,
      },
      {
        title: 'an empty selection',
        operation: '{ _entities(representations: [{ __typename: "User", id: 1 }]) { __typename @skip(if: true) } }',
        expected: unauthenticated,
      },
      {
        title: 'a variable',
        operation: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Book { id } } }',
        variables: {
          r: [
            { __typename: 'Book', id: 1 },
            { __typename: 'User', id: 1 },
          ],
        },
        expected: unauthenticated,
      },
      {
        title: 'a variable in a list',
        operation: 'query ($r: _Any!) { _entities(representations: [$r]) { __typename } }',
        variables: { r: { __typename: 'User', id: 1 } },
        expected: unauthenticated,
      },
      {
        title: 'a variable in a literal',
        operation: 'query ($n: String!) { _entities(representations: [{ __typename: $n, id: 1 }]) { __typename } }',
        variables: { n: 'User' },
        expected: unauthenticated,
      },
      {
        title: 'a default',
        operation: 'query ($r: [_Any!]! = [{ __typename: "User", id: 1 }]) { _entities(representations: $r) { __typename } }',
        expected: unauthenticated,
      },
      {
        title: 'one object in place of a list',
        operation: '{ _entities(representations: { __typename: "User", id: 1 }) { __typename } }',
        expected: unauthenticated,
      },
      {
        title: 'an interface: its own rules and those of its types',
        operation: '{ _entities(representations: [{ __typename: "Media", id: 1 }]) { ... on Film { id } } }',
        caller: user,
        expected: ['FORBIDDEN', ['media', 'songs'], ['media', 'songs']],
      },
      {
        title: 'a type of an interface',
        operation: '{ _entities(representations: [{ __typename: "Film", id: 1 }]) { ... on Media { id } } }',
        caller: user,
        expected: ['FORBIDDEN', ['media'], ['media']],
      },
      {
        title: 'a type without a key, whose reference resolver may run, too',
        operation: '{ _entities(representations: [{ __typename: "Keyless", id: 1 }]) { ... on Book { id } } }',
        expected: unauthenticated,
      },
      {
        title: 'two fields, of which one is left out',
        operation:
          '{ a: _entities(representations: [{ __typename: "Book", id: 1 }]) { __typename } b: _entities(representations: [{ __typename: "User", id: 1 }]) @skip(if: true) { __typename } }',
        expected: 'allowed',
      },
    ],
  },
  scopes: {
    typeDefs: `
      type Query {
        one: Int @requiresScopes(scopes: [["a", "b"]])
        either: Int @requiresScopes(scopes: [["a", "b"], ["c"]])
        tie: Int @requiresScopes(scopes: [["y"], ["x"]])
        closest: Int @requiresScopes(scopes: [["z", "m", "n"], ["p", "q"]])
        never: Int @requiresScopes(scopes: [])
        signedIn: Int @authenticated
        both: Int @authenticated @requiresScopes(scopes: [["a"]])
        open: Int
      }`,
    rows: [
      { title: 'all of an alternative', operation: '{ one }', caller: holding('a'), expected: ['FORBIDDEN', ['b'], ['a', 'b']] },
      { title: 'all of them are there', operation: '{ one }', caller: holding('b', 'a'), expected: 'allowed' },
      { title: 'another alternative', operation: '{ either }', caller: holding('c'), expected: 'allowed' },
      {
        title: 'the alternative that lacks the fewest',
        operation: '{ closest }',
        caller: holding('m', 'z'),
        expected: ['FORBIDDEN', ['n'], ['m', 'n', 'z']],
      },
      { title: 'the first of two that lack as many', operation: '{ tie }', caller: user, expected: ['FORBIDDEN', ['y'], ['y']] },
      {
        title: 'rules of several fields are joined and sorted',
        operation: '{ tie one }',
        caller: holding('a'),
        expected: ['FORBIDDEN', ['b', 'y'], ['a', 'b', 'y']],
      },
      {
        title: 'a rule that is met adds its first alternative that is met',
        operation: '{ either tie }',
        caller: holding('c', 'a', 'b'),
        expected: ['FORBIDDEN', ['y'], ['a', 'b', 'y']],
      },
      { title: 'nobody learns what is needed', operation: '{ either }', expected: ['UNAUTHENTICATED', ['c'], ['c']] },
      { title: 'no alternative allows anybody', operation: '{ never }', caller: holding('a'), expected: ['FORBIDDEN', [], []] },
      { title: 'an empty list of claims is somebody', operation: '{ signedIn }', caller: user, expected: 'allowed' },
      { title: 'null is nobody', operation: '{ signedIn }', caller: { claims: null }, expected: unauthenticated },
      { title: 'a promise', operation: '{ signedIn }', caller: { claims: Promise.resolve([]) }, expected: 'allowed' },
      { title: 'two directives count together', operation: '{ both }', caller: user, expected: ['FORBIDDEN', ['a'], ['a']] },
      { title: 'a text is no list: it has `.includes`', operation: '{ one }', caller: { claims: 'a b' }, expected: 'masked 500' },
      { title: 'a list with a number', operation: '{ signedIn }', caller: { claims: [1] }, expected: 'masked 500' },
      { title: 'an object', operation: '{ signedIn }', caller: { claims: {} }, expected: 'masked 500' },
      { title: 'false', operation: '{ signedIn }', caller: { claims: false }, expected: 'masked 500' },
      {
        title: 'claims that throw',
        operation: '{ signedIn }',
        caller: { claims: new Error('The key server is down.') },
        expected: 'masked 500',
      },
      {
        title: 'claims are called once',
        operation: '{ signedIn one both }',
        caller: holding('a', 'b'),
        expected: 'allowed',
        asks: ['claims'],
      },
      {
        title: 'claims are not called without need',
        operation: '{ open }',
        caller: { claims: new Error('The key server is down.') },
        expected: 'allowed',
        asks: [],
      },
    ],
  },
  policies: {
    typeDefs: `
      type Query {
        owner: Int @policy(policies: [["owner"]])
        again: Int @policy(policies: [["owner"]])
        either: Int @policy(policies: [["owner", "paid"], ["admin"]])
        scoped: Int @policy(policies: [["owner"]]) @requiresScopes(scopes: [["s"]])
        met: Int @requiresScopes(scopes: [["t"], ["s"]])
        first: Int @policy(policies: [["p1"]])
        second: Int @policy(policies: [["p2"]])
        never: Int @policy(policies: [])
      }`,
    rows: [
      { title: 'true allows nobody, too', operation: '{ owner }', caller: { policies: { owner: true } }, expected: 'allowed' },
      { title: 'false', operation: '{ owner }', caller: { policies: { owner: false } }, expected: ['FORBIDDEN', [], []] },
      {
        title: 'anything else is false',
        operation: '{ owner }',
        caller: { ...user, policies: { owner: 1 } },
        expected: ['FORBIDDEN', [], []],
      },
      {
        title: 'one that throws is false',
        operation: '{ owner }',
        caller: { policies: { owner: new Error('The database is down.') } },
        expected: ['FORBIDDEN', [], []],
      },
      {
        title: 'of its alternative',
        operation: '{ either }',
        caller: { policies: { owner: new Error('The database is down.'), admin: true } },
        expected: 'allowed',
      },
      {
        title: 'all of an alternative',
        operation: '{ either }',
        caller: { policies: { owner: true, paid: false, admin: false } },
        expected: ['FORBIDDEN', [], []],
      },
      { title: 'asked once', operation: '{ owner again x: owner }', caller: { ...user, policies: { owner: true } }, expected: 'allowed' },
      {
        title: 'not asked if a scope is missing',
        operation: '{ scoped }',
        caller: { ...user, policies: { owner: true } },
        expected: ['FORBIDDEN', ['s'], ['s']],
        asks: ['claims'],
      },
      {
        title: 'not asked if nobody lacks a scope',
        operation: '{ scoped }',
        caller: { policies: { owner: true } },
        expected: ['UNAUTHENTICATED', ['s'], ['s']],
        asks: ['claims'],
      },
      {
        title: 'the scopes that are met are told',
        operation: '{ scoped met }',
        caller: { ...holding('s'), policies: { owner: false } },
        expected: ['FORBIDDEN', [], ['s']],
      },
      {
        title: 'asked in the order of the schema',
        operation: '{ second first }',
        caller: { policies: { p1: true, p2: true } },
        expected: 'allowed',
        asksPolicies: ['p1', 'p2'],
      },
      {
        title: 'not asked if another one has refused',
        operation: '{ second first }',
        caller: { policies: { p1: false, p2: true } },
        expected: ['FORBIDDEN', [], []],
        asksPolicies: ['p1'],
      },
      { title: 'no alternative allows anybody', operation: '{ never }', caller: user, expected: ['FORBIDDEN', [], []] },
    ],
  },
};
