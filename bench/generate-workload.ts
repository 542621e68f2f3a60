import type { Random } from '../test/support/random.ts';
import type { Contestant } from './event.ts';

/** A random schema with its resolvers and a request. */
export interface GeneratedWorkload {
  readonly name: string;
  /** Properties of the workload: each is a row of the table of results. */
  readonly traits: readonly string[];
  readonly entry: EntryKind;
  readonly typeDefs: string;
  readonly resolvers: Parameters<Contestant>[0]['resolvers'];
  /** The body of a request. Another number means another document with the same selection, or other values of its variables. */
  readonly body: (document: number, values: number) => string;
}

/** How the handler receives the request. */
export type EntryKind = (typeof entryKinds)[number];

export const entryKinds = ['HTTP API event', 'REST API event', 'Request', 'node:http'] as const;

/** What a workload is made of. */
interface Shape {
  readonly types: number;
  readonly leaves: readonly Leaf[];
  readonly depth: number;
  /** Items of a list. */
  readonly items: number;
  /** The share of the fields that have a resolver; the maps grow with the schema. */
  readonly resolved: number;
  /** The share of those that are asynchronous. */
  readonly asynchronous: number;
}

/** A field without a selection. */
interface Leaf {
  readonly name: string;
  readonly type: string;
  readonly takesArguments: boolean;
  readonly value: unknown;
}

export function generateWorkload(random: Random, at: number): GeneratedWorkload {
  const shape: Shape = {
    types: random.pick([3, 30, 300]),
    leaves: Array.from({ length: 1 + random.below(12) }, (_, leaf) => leafOf(random, leaf)),
    depth: random.below(5),
    items: random.pick([1, 5, 50]),
    resolved: random.pick([0, 0.3, 1]),
    asynchronous: random.pick([0, 0.5, 1]),
  };
  const entry = entryKinds[at % entryKinds.length]!;
  const kind = random.chance(0.2) ? 'mutation' : 'query';
  const writer = new QueryWriter(random, shape);
  const selection = writer.selection(0, shape.depth, 1);
  const definitions = [...writer.variables].map((name) => `$${name}: ${variableTypes[name]}`).join(', ');
  const body = (nth: number, values: number): string => {
    const operation = `${kind} Q${nth}(${definitions}) { a${nth}: __typename find(filter: $filter, ids: $ids) ${selection} }`;
    return JSON.stringify({ query: [operation, ...writer.fragments].join('\n'), variables: variablesOf(values) });
  };
  const { types, leaves, depth, items } = shape;
  return {
    name: `${at}: ${entry}, ${types} types, ${leaves.length} leaves, ${depth} levels, lists of ${items}, ${body(0, 0).length} characters`,
    traits: traitsOf(shape, writer, [entry, kind === 'mutation' ? 'mutations' : 'queries']),
    entry,
    typeDefs: typeDefsOf(shape),
    resolvers: resolversOf(random, shape),
    body,
  };
}

function traitsOf({ types, depth, items, resolved, asynchronous }: Shape, writer: QueryWriter, said: readonly string[]): string[] {
  const share = resolved === 0 ? 'properties only' : resolved === 1 ? 'a resolver for every field' : 'a resolver for every third field';
  const waits = asynchronous === 0 ? 'synchronous' : asynchronous === 1 ? 'asynchronous' : 'half asynchronous';
  return [
    ...said,
    `${types} types`,
    resolved === 0 ? share : `${share}, ${waits}`,
    depth < 2 ? 'up to 1 level' : '2 to 4 levels',
    `lists of ${items}`,
    ...(writer.usesAbstract ? ['interfaces and unions'] : []),
    ...(writer.fragments.length > 0 ? ['named fragments'] : []),
    ...(writer.variables.has('on') ? ['conditions'] : []),
    ...(writer.usesArguments ? ['arguments of fields'] : []),
  ];
}

const values: Readonly<Record<string, unknown>> = {
  Int: 42,
  'String!': 'some text of a few words',
  Float: 1.5,
  ID: 'id-7',
  Boolean: true,
  Kind: 'A',
  '[Int!]': [1, 2, 3],
  '[String]': ['one', null, 'two'],
};

function leafOf(random: Random, at: number): Leaf {
  const type = random.pick(Object.keys(values));
  return { name: `f${at}`, type, takesArguments: random.chance(0.25), value: values[type] };
}

/** Object types in a ring: each leads to the next, to lists of it, and to any other by an interface and a union. */
function typeDefsOf({ types, leaves }: Shape): string {
  const own = leaves.map(({ name, type, takesArguments }) => `${name}${takesArguments ? leafArguments : ''}: ${type}`).join(' ');
  const objects = Array.from(
    { length: types },
    (_, at) =>
      `type T${at} implements Node { id: ID! name: String ${own} one: T${(at + 1) % types} many: [T${(at + 1) % types}!]! node: Node any: [Any!] }`,
  );
  return [
    'interface Node { id: ID! name: String }',
    'enum Kind { A B C }',
    'input Range { from: Float = 0 to: Float! }',
    'input Filter { name: String kinds: [Kind!] = [A] range: Range ids: [ID!] not: Filter }',
    ...objects,
    `union Any = ${objects
      .slice(0, unionSize)
      .map((_, at) => `T${at}`)
      .join(' | ')}`,
    'type Query { find(filter: Filter!, ids: [ID!]!): T0 }',
    'type Mutation { find(filter: Filter!, ids: [ID!]!): T0 }',
  ].join('\n');
}

const leafArguments = '(first: Int = 1, kind: Kind = A, filter: Filter, ids: [ID!])';
const unionSize = 40;

type Value = Record<string, unknown>;

/** The same objects for every request, each of which leads to others: any query finds something. */
function createObjects({ types, leaves, items }: Shape): Value[] {
  const own = Object.fromEntries(leaves.map(({ name, value }) => [name, value]));
  const objects = Array.from({ length: types }, (_, at): Value => ({ __typename: `T${at}`, id: `id-${at}`, name: `Name ${at}`, ...own }));
  for (const [at, object] of objects.entries()) {
    const next = objects[(at + 1) % types]!;
    object['one'] = next;
    object['node'] = objects[nodeOf(at, types)];
    object['many'] = Array.from({ length: items }, () => next);
    object['any'] = Array.from({ length: items }, (_, item) => objects[item % Math.min(types, unionSize)]);
  }
  return objects;
}

function nodeOf(type: number, types: number): number {
  return (type * 7 + 1) % types;
}

function resolversOf(random: Random, shape: Shape): GeneratedWorkload['resolvers'] {
  const [first] = createObjects(shape);
  const names = [...shape.leaves.map(({ name }) => name), 'name', 'one', 'many', 'node', 'any'];
  let nth = 0;
  const resolverOf = (name: string): Resolver => {
    const kinds = random.chance(shape.asynchronous) ? asynchronousKinds : synchronousKinds;
    return kinds[nth++ % kinds.length]!(name);
  };
  const mapOf = (): Record<string, Resolver> =>
    Object.fromEntries(names.filter(() => random.chance(shape.resolved)).map((name) => [name, resolverOf(name)]));
  const maps = Array.from({ length: shape.resolved === 0 ? 0 : shape.types }, (_, at) => [`T${at}`, mapOf()] as const);
  return { Query: { find: () => first }, Mutation: { find: () => first }, ...Object.fromEntries(maps) };
}

type Resolver = (parent: Value) => unknown;

/** Arrow functions, methods and ordinary functions, as real maps have them. */
const synchronousKinds: readonly ((name: string) => Resolver)[] = [
  (name) => (parent) => parent[name],
  (name) =>
    ({
      resolve(parent: Value) {
        return parent[name];
      },
    }).resolve,
  (name) =>
    function (parent) {
      return parent[name];
    },
];
const asynchronousKinds: readonly ((name: string) => Resolver)[] = [
  (name) => async (parent) => parent[name],
  (name) =>
    ({
      async resolve(parent: Value) {
        return parent[name];
      },
    }).resolve,
  (name) =>
    async function (parent) {
      return parent[name];
    },
];

const variableTypes: Readonly<Record<string, string>> = {
  filter: 'Filter!',
  ids: '[ID!]!',
  first: 'Int = 3',
  kind: 'Kind',
  on: 'Boolean!',
};

function variablesOf(nth: number): object {
  return {
    filter: { name: `x${nth}`, kinds: ['A', 'B'], range: { from: nth, to: nth + 1.5 }, not: { ids: [`${nth}`, '2'] } },
    ids: [`a${nth}`, 'b', 'c'],
    kind: 'B',
    on: true,
  };
}

/** Objects that an answer has at most, about. */
const maxObjects = 300;

/** Writes the selections of one document. */
class QueryWriter {
  readonly fragments: string[] = [];
  readonly variables = new Set(['filter', 'ids']);
  usesAbstract = false;
  usesArguments = false;
  readonly #random: Random;
  readonly #shape: Shape;

  constructor(random: Random, shape: Shape) {
    this.#random = random;
    this.#shape = shape;
  }

  /** The selection for objects of a type, and the number of objects in all lists around them. */
  selection(type: number, depth: number, objects: number): string {
    const own = `id name ${this.#leaves()} ${depth > 0 ? this.#deeper(type, depth - 1, objects) : ''}`;
    if (!this.#random.chance(0.2)) return `{ ${own}}`;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on T${type} { ${own}}`);
    return `{ ...${name} }`;
  }

  #deeper(type: number, depth: number, objects: number): string {
    const { types, items } = this.#shape;
    const next = (type + 1) % types;
    const way = this.#random.pick(objects * items > maxObjects ? ['one', 'node'] : ['one', 'many', 'node', 'any']);
    if (way === 'one') return `one ${this.selection(next, depth, objects)} `;
    if (way === 'many') return `many ${this.selection(next, depth, objects * items)} `;
    this.usesAbstract = true;
    const met = way === 'node' ? nodeOf(type, types) : this.#random.below(Math.min(types, unionSize, items));
    const inner = `... on T${met} ${this.selection(met, depth, way === 'node' ? objects : objects * items)}`;
    return way === 'node' ? `node { __typename id ${inner} } ` : `any { __typename ... on Node { id name } ${inner} } `;
  }

  #leaves(): string {
    const asked = this.#shape.leaves.filter(() => this.#random.chance(0.7));
    return asked
      .map((leaf) => `${this.#random.chance(0.1) ? `other_${leaf.name}: ` : ''}${leaf.name}${this.#arguments(leaf)}${this.#condition()}`)
      .join(' ');
  }

  #arguments({ takesArguments }: Leaf): string {
    if (!takesArguments || this.#random.chance(0.3)) return '';
    this.usesArguments = true;
    const written = this.#random.pick(['(first: 3)', '(first: $first, kind: $kind)', '(filter: $filter)', '(kind: B, ids: $ids)', literal]);
    for (const [, name] of written.matchAll(/\$(\w+)/g)) this.variables.add(name!);
    return written;
  }

  #condition(): string {
    if (!this.#random.chance(0.08)) return '';
    this.variables.add('on');
    return this.#random.pick([' @include(if: $on)', ' @skip(if: $on)']);
  }
}

const literal = '(filter: { name: "x", kinds: [A, B], not: { range: { to: 1 } } }, ids: ["1", "2"])';
