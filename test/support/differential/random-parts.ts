import type { Random } from '../random.ts';

/** An endlessly nested schema, with every kind of field that matters to @defer and @stream. */
export const typeDefs = /* GraphQL */ `
  type Query {
    node: Node
    nodes: [Node!]
    name: String
    broken: String
  }
  type Node {
    id: Int!
    name: String
    late: String
    broken: String
    node: Node
    nodes: [Node!]
    numbers: [Int]
    ticks: [Int]
    crowd: [Node]
  }
`;

/** Constant values, so that every execution has the same ones; some are promises or asynchronous iterables. */
export const resolvers = {
  Query: { node: () => ({}), nodes: async () => [{}, {}], name: () => 'top', broken },
  Node: {
    id: () => 1,
    name: () => 'name',
    late: async () => 'late',
    broken,
    node: async () => ({}),
    nodes: () => [{}, Promise.resolve({})],
    numbers: () => [1, Promise.resolve(2), 3],
    ticks: async function* ticks() {
      yield* [1, 2, 3];
    },
    crowd: () => [{}, null, Promise.reject(new Error('one of many'))],
  },
};

/** The same values without promises and asynchronous iterables. */
export const synchronousResolvers = {
  Query: { ...resolvers.Query, nodes: () => [{}, {}] },
  Node: {
    ...resolvers.Node,
    late: () => 'late',
    node: () => ({}),
    nodes: () => [{}, {}],
    numbers: () => [1, 2, 3],
    ticks: () => new Set([1, 2, 3]),
    crowd: () => [{}, null, new Error('one of many')],
  },
};

function broken(): never {
  throw new Error('broken');
}

const leaves = { Query: ['name', 'broken'], Node: ['id', 'name', 'late', 'broken', 'numbers', 'ticks'] } as const;
const branches = { Query: ['node', 'nodes'], Node: ['node', 'nodes', 'crowd'] } as const;
const lists = new Set(['nodes', 'numbers', 'ticks', 'crowd']);

/** A random operation with @defer and @stream in it. */
export function randomParts(random: Random): string {
  return new Writer(random).write();
}

class Writer {
  readonly #random: Random;
  readonly #fragments: string[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  write(): string {
    const body = this.#selectionSet('Query', 4);
    return [
      `query ($yes: Boolean! = true, $no: Boolean! = false) { yes: __typename @include(if: $yes) no: name @include(if: $no) ${body} }`,
    ]
      .concat(this.#fragments)
      .join('\n');
  }

  /** A selection set without its braces. */
  #selectionSet(type: 'Query' | 'Node', depth: number): string {
    const selections = Array.from({ length: 1 + this.#random.below(4) }, () => this.#selection(type, depth));
    return `${selections.join(' ')} __typename`;
  }

  #selection(type: 'Query' | 'Node', depth: number): string {
    const random = this.#random;
    if (depth > 0 && random.chance(0.35)) return `... ${this.#defer()}{ ${this.#selectionSet(type, depth - 1)} }`;
    if (depth > 0 && random.chance(0.15)) return this.#spread(type, depth);
    if (depth > 0 && random.chance(0.5)) {
      const name = random.pick<string>(branches[type]);
      return `${this.#streamed(name)}{ ${this.#selectionSet('Node', depth - 1)} }`;
    }
    const name = random.pick<string>(leaves[type]);
    return this.#streamed(name);
  }

  #spread(type: 'Query' | 'Node', depth: number): string {
    const name = `Part${this.#fragments.length}`;
    const at = this.#fragments.push('') - 1;
    this.#fragments[at] = `fragment ${name} on ${type} { ${this.#selectionSet(type, depth - 1)} }`;
    return this.#random.chance(0.3) ? `...${name} ${this.#defer()} ...${name} ${this.#defer()}` : `...${name} ${this.#defer()}`;
  }

  #defer(): string {
    const random = this.#random;
    if (random.chance(0.3)) return '';
    const condition = random.chance(0.3) ? random.pick(['if: $yes', 'if: $no', 'if: true', 'if: false']) : '';
    const label = random.chance(0.5) ? `label: "l${this.#names++}"` : '';
    return `@defer${condition + label === '' ? '' : `(${condition} ${label})`} `;
  }

  /** A field, with a unique alias if it is streamed, because streams cannot be merged. */
  #streamed(name: string): string {
    if (!lists.has(name) || this.#random.chance(0.3)) return `${name} `;
    const directive = this.#random.pick(['@stream', '@stream(initialCount: 1)', '@stream(if: $yes, initialCount: 2)', '@stream(if: $no)']);
    return `n${this.#names++}: ${name} ${directive} `;
  }
}
