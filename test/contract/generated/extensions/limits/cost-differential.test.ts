import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLScalarType, Kind } from 'graphql';

import { budget } from '../../../../../src/entries/budget.ts';
import type { BudgetStore } from '../../../../../src/entries/budget.ts';
import { createHandler } from '../../../../../src/entries/index.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import type { Handler, ServerOptions } from '../../../../../src/entries/index.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';

const typeDefs = `
  scalar Loose
  scalar JSON
  interface Node { name: String similar: [Node] parts(first: Int): [Part] }
  union Thing = Book | Author
  type Query { ${rootFields()} }
  type Mutation { ${rootFields()} }
  type Book implements Node {
    name: String
    similar(limit: Int = 4): [Node]
    parts(first: Int, last: Int = 2): [Part]
    author: Author
    shelf(first: Int): Shelf
    grid(first: Int): [[Part]]
  }
  type Author implements Node { name: String similar: [Node] parts(first: Int): [Part] books(page: Page): [Book] things: [Thing] }
  type Shelf { total: Int items: [Book] edges: [Edge] filters: [Filter] meta: Meta }
  type Edge { node: Node }
  type Filter { name: String values(first: Int): [Part] }
  type Meta { name: String owners: [Author] }
  type Part { name: String size: Int }
  input Page { first: Int limit: Loose offset: Int inner: Page }
  input Search { text: String first: Int = 5 page: Page }
`;

function rootFields(): string {
  return `
    name: String
    books(first: Int, last: Int, limit: Loose, page: Page, pages: [Page], filter: JSON): [Book]
    found(by: Search = {}): [Node]
    things(first: Int = 3): [Thing]
    shelf(first: Int, filter: JSON): Shelf
    node: Node
    thing: Thing
    author: Author
    picked(limit: Loose, by: Search): Shelf`;
}

const loose = new GraphQLScalarType({
  name: 'Loose',
  parseValue: (value) => Number.parseInt(String(value), 10),
  parseLiteral: (node) => Number.parseInt(node.kind === Kind.LIST ? textOf(node.values[0]) : textOf(node), 10),
});

function textOf(node: object | undefined): string {
  return String((node as { value?: unknown } | undefined)?.value);
}

type Fields = Readonly<Record<string, number>>;

interface Rules {
  readonly listSize: number;
  readonly fields: Fields;
  readonly pageDefault: number | undefined;
}

/** A server whose lists are as long as their sizes allow. It counts what it resolves. */
function serving({ listSize, fields, pageDefault }: Rules, documents: Readonly<Record<string, string>>): Served {
  let resolved = 0;
  let turn = 0;
  const objects: Record<string, () => object> = {
    Node: () => (turn++ % 2 === 0 ? { __typename: 'Book' } : { __typename: 'Author' }),
    Thing: () => (turn++ % 2 === 0 ? { __typename: 'Author' } : { __typename: 'Book' }),
  };
  const fieldResolver = (source: Record<string, unknown> | undefined, args: object, _: unknown, info: any): unknown => {
    const type = String(info.returnType).replaceAll('!', '');
    const own = fields[`${info.parentType.name}.${info.fieldName}`];
    const ofNode = info.parentType.getInterfaces().length > 0 ? fields[`Node.${info.fieldName}`] : undefined;
    resolved += own ?? ofNode ?? 1;
    const named = type.replaceAll(/[[\]]/g, '');
    if (named === 'String' || named === 'Int') return null;
    const item = objects[named] ?? (() => ({}));
    const asked = sizeIn(args, pagedSizes.has(`${info.parentType.name}.${info.fieldName}`) ? pageDefault : undefined, listSize);
    if (!type.startsWith('[')) return { ...item(), items: asked ?? listSize };
    const length = asked ?? (source?.['items'] as number | undefined) ?? listSize;
    const list = (of: () => unknown, count: number): unknown[] => Array.from({ length: count }, of);
    return type.startsWith('[[') ? list(() => list(item, listSize), length) : list(item, length);
  };
  const capacity = 1e9;
  let taken = 0;
  const store: BudgetStore = {
    isInMemory: true,
    take: (_id, { cost }) => {
      // A point takes a millisecond to refill.
      taken += cost / 1000;
      return { isTaken: true, untilFull: 0 };
    },
  };
  const handler = createHandler({
    nodeEnv: 'production',
    typeDefs,
    resolvers: { Loose: loose } as never,
    fieldResolver: fieldResolver as never,
    maxResultBytes: 1e9,
    trustedDocuments: { documents },
    plugins: [
      budget({ store, identity: () => 'ada', capacity, refillPerSecond: 1000 }),
      limits({
        maxCost: capacity,
        listSize,
        fields,
        ...(pageDefault !== undefined && { pageLimits: { default: pageDefault, max: 1000 } }),
      }),
    ],
  } as ServerOptions);
  return async (kind, id, variables) => {
    resolved = 0;
    taken = 0;
    const text = await kinds[kind](handler, { documentId: id, query: documents[id]!, variables });
    return { resolved, taken, text };
  };
}

type Served = (kind: RequestKind, id: string, variables: object) => Promise<{ resolved: number; taken: number; text: string }>;

interface Sent {
  readonly documentId: string;
  readonly query: string;
  readonly variables: object;
}

type Send = (handler: Handler, sent: Sent) => Promise<string>;

const send =
  (method: string, bodyOf: (sent: Sent) => unknown, accept = 'application/json'): Send =>
  async ({ fetch }, sent) => {
    const headers = { 'content-type': 'application/json', accept };
    return (await fetch(new Request('https://books.example/', { method, headers, body: JSON.stringify(bodyOf(sent)) }))).text();
  };
const inline = ({ query, variables }: Sent): object => ({ query, variables });

/** The kinds of requests by which an operation may come. */
const kinds = {
  POST: send('POST', inline),
  QUERY: send('QUERY', inline),
  GET: async ({ fetch }, { query, variables }) => {
    const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return (
      await fetch(new Request(`https://books.example/?${parameters.toString()}`, { headers: { 'x-apollo-operation-name': 'a' } }))
    ).text();
  },
  batch: send('POST', (sent) => [inline(sent), { query: '{ __typename }' }]),
  stream: send('POST', inline, 'text/event-stream'),
  'by id': send('POST', ({ documentId, variables }) => ({ documentId, variables })),
  direct: async (handler, sent) =>
    JSON.stringify(await (handler as unknown as (event: object, context: object) => Promise<object>)(inline(sent), {})),
} satisfies Record<string, Send>;
type RequestKind = keyof typeof kinds;

/** Fields with a size argument of their own. */
const pagedSizes = new Set(
  ['books', 'things', 'shelf', 'picked']
    .flatMap((name) => [`Query.${name}`, `Mutation.${name}`])
    .concat('Book.similar', 'Book.parts', 'Author.parts', 'Book.shelf', 'Book.grid', 'Filter.values'),
);

/** The number of items that a resolver may return for its arguments. */
function sizeIn(args: object, pageDefault: number | undefined, listSize: number): number | undefined {
  const names = ['first', 'last', 'limit'];
  const isWhole = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1;
  const direct = names.map((name) => (args as Record<string, unknown>)[name]).filter((value) => value !== null && value !== undefined);
  const nested = Object.values(args)
    .flat()
    .flatMap((value) =>
      typeof value === 'object' && value !== null && !('json' in value) ? names.map((name) => (value as any)[name]) : [],
    )
    .filter(isWhole);
  if (direct.length + nested.length === 0) return undefined;
  return Math.max(
    ...direct.map((value) => (isWhole(value) ? value : (pageDefault ?? listSize))),
    ...nested,
    ...(direct.length > 0 ? [] : [listSize]),
  );
}

/** Writes random operations. Variables are declared as they are used. */
class Writer {
  readonly variables: Record<string, unknown> = {};
  readonly definitions: string[] = [];
  readonly fragments: string[] = [];
  readonly #random: Random;
  #aliases = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  #size(): number {
    return this.#random.pick([0, 1, 2, 3, 5, -1, 4]);
  }

  /** A literal, a null, or a variable that has a value, a default, both, a null, or none of them. */
  #value(type: string, literal: (inner: boolean) => string, value: () => unknown): string {
    const random = this.#random;
    const choice = random.below(8);
    if (choice === 0) return 'null';
    if (choice < 4) return literal(true);
    const name = `v${this.definitions.length}`;
    this.definitions.push(`$${name}: ${type}${choice === 5 || choice === 6 ? ` = ${literal(false)}` : ''}`);
    if (choice === 4 || choice === 5) this.variables[name] = random.chance(0.1) ? null : value();
    return `$${name}`;
  }

  #int(): string {
    return this.#value(
      'Int',
      () => String(this.#size()),
      () => this.#size(),
    );
  }

  #loose(): string {
    const size = (): unknown => this.#random.pick([this.#size(), `${this.#size()}x`, [this.#size()]]);
    const literal = (): string => JSON.stringify(size());
    return this.#value('Loose', literal, size);
  }

  #json(): string {
    return this.#value(
      'JSON',
      () => '{ first: 0, json: 1 }',
      () => ({ first: 1, limit: -3, json: 1 }),
    );
  }

  #page(): string {
    const literal = (inner: boolean): string => {
      const random = this.#random;
      const fields: string[] = [];
      if (random.chance(0.5)) fields.push(`first: ${inner ? this.#int() : this.#size()}`);
      if (random.chance(0.4)) fields.push(`limit: ${inner ? this.#loose() : this.#size()}`);
      if (random.chance(0.3)) fields.push('inner: { first: 1000 }');
      return `{ ${fields.join(', ')} }`;
    };
    return this.#value('Page', literal, () => ({ ...(this.#random.chance(0.6) && { first: this.#size() }), inner: { first: 1000 } }));
  }

  #search(): string {
    const literal = (inner: boolean): string => (this.#random.chance(0.5) ? `{ first: ${inner ? this.#int() : this.#size()} }` : '{}');
    return this.#value('Search', literal, () => (this.#random.chance(0.5) ? { first: this.#size() } : { text: 'a' }));
  }

  #arguments(given: Readonly<Record<string, () => string>>): string {
    const parts = Object.entries(given).flatMap(([name, value]) => (this.#random.chance(0.4) ? `${name}: ${value()}` : []));
    return parts.length === 0 ? '' : `(${parts.join(', ')})`;
  }

  #fields(type: string): readonly (readonly [name: string, type: string, args?: Readonly<Record<string, () => string>>])[] {
    const int = (): string => this.#int();
    const page = (): string => this.#page();
    const loose = (): string => this.#loose();
    const json = (): string => this.#json();
    const by = (): string => this.#search();
    switch (type) {
      case 'Root':
        return [
          ['name', ''],
          ['books', 'Book', { first: int, last: int, limit: loose, page, pages: () => `[${page()}, { first: ${int()} }]`, filter: json }],
          ['found', 'Node', { by }],
          ['things', 'Thing', { first: int }],
          ['shelf', 'Shelf', { first: int, filter: json }],
          ['node', 'Node'],
          ['thing', 'Thing'],
          ['author', 'Author'],
          ['picked', 'Shelf', { limit: loose, by }],
        ];
      case 'Node':
        return [
          ['name', ''],
          ['similar', 'Node'],
          ['parts', 'Part', { first: int }],
        ];
      case 'Book':
        return [
          ['name', ''],
          ['similar', 'Node', { limit: int }],
          ['parts', 'Part', { first: int, last: int }],
          ['author', 'Author'],
          ['shelf', 'Shelf', { first: int }],
          ['grid', 'Part', { first: int }],
        ];
      case 'Author':
        return [
          ['name', ''],
          ['similar', 'Node'],
          ['parts', 'Part', { first: int }],
          ['books', 'Book', { page }],
          ['things', 'Thing'],
        ];
      case 'Shelf':
        return [
          ['total', ''],
          ['items', 'Book'],
          ['edges', 'Edge'],
          ['filters', 'Filter'],
          ['meta', 'Meta'],
        ];
      case 'Edge':
        return [['node', 'Node']];
      case 'Filter':
        return [
          ['name', ''],
          ['values', 'Part', { first: int }],
        ];
      case 'Meta':
        return [
          ['name', ''],
          ['owners', 'Author'],
        ];
      default:
        return [
          ['name', ''],
          ['size', ''],
        ];
    }
  }

  selection(type: string, depth: number, on = type): string {
    const random = this.#random;
    const parts: string[] = [];
    if (random.chance(0.2)) parts.push('__typename');
    for (let count = 0; count < 1 + random.below(3); count++) {
      const isAbstract = type === 'Thing' || type === 'Node';
      if (isAbstract && (type === 'Thing' || random.chance(0.4))) {
        const object = random.pick(['Book', 'Author', 'Node']);
        parts.push(this.#spread(object, depth));
        continue;
      }
      const fields = this.#fields(type).filter(([, returned]) => returned === '' || depth > 0);
      if (fields.length === 0) continue;
      const [name, inner, args = {}] = random.pick(fields);
      const alias = random.chance(0.05) && inner === '' ? 'other: ' : `a${this.#aliases++}: `;
      parts.push(`${alias}${name}${this.#arguments(args)}${inner === '' ? '' : ` ${this.selection(inner, depth - 1)}`}`);
    }
    if (on !== 'Root' && random.chance(0.1) && type !== 'Thing' && type !== 'Root') parts.push(this.#spread(type, depth));
    return `{ ${parts.length === 0 ? '__typename' : parts.join(' ')} }`;
  }

  #spread(type: string, depth: number): string {
    const selection = depth <= 0 ? '{ __typename }' : this.selection(type, depth - 1);
    if (this.#random.chance(0.5)) return `... on ${type} ${selection}`;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${type} ${selection}`);
    return `...${name}`;
  }
}

test('no random operation resolves more than it costs, and its cost is what it takes, by every kind of request', async () => {
  const random = createRandom(53);
  const ran = new Map<RequestKind, number>();
  for (let server = 0; server < 10; server++) {
    const listSize = 1 + random.below(4);
    const fields: Record<string, number> = {};
    for (const field of ['Book.similar', 'Node.similar', 'Author.parts', 'Query.books', 'Shelf.edges', 'Part.name'])
      if (random.chance(0.3)) fields[field] = random.below(6);
    const pageDefault = random.chance(0.5) ? 1 + random.below(5) : undefined;
    const operations = Array.from({ length: cases({ short: 40, long: 1000 }) }, (_, at) => {
      const writer = new Writer(random);
      const selection = writer.selection('Root', 4);
      const definitions = writer.definitions.length === 0 ? '' : `(${writer.definitions.join(', ')})`;
      const type = random.chance(0.1) ? 'mutation' : 'query';
      return {
        id: `id${at}`,
        type,
        query: `${type}${definitions} ${selection} ${writer.fragments.join(' ')}`,
        variables: writer.variables,
      };
    });
    const ask = serving({ listSize, fields, pageDefault }, Object.fromEntries(operations.map(({ id, query }) => [id, query])));
    for (const { id, type, query, variables } of operations) {
      const kind = random.pick(Object.keys(kinds) as RequestKind[]);

      const { resolved, taken, text } = await ask(kind, id, variables);

      const told = `${kind} ${query} ${JSON.stringify(variables)} list ${listSize} page ${pageDefault} ${JSON.stringify(fields)}: ${text.slice(0, 300)}`;
      if (text.includes('"data":{"') && !/"code":"(?:GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)"/.test(text.slice(0, 2_000)))
        ran.set(kind, (ran.get(kind) ?? 0) + 1);
      else if (type === 'query' || (kind !== 'GET' && kind !== 'QUERY')) assert.match(text, /items|GRAPHQL_VALIDATION_FAILED/, told);
      if (resolved === 0) continue;
      assert.ok(taken >= resolved, `${resolved} resolved, ${taken} taken: ${told}`);
    }
  }
  for (const kind of Object.keys(kinds) as RequestKind[])
    assert.ok((ran.get(kind) ?? 0) > cases({ short: 10, long: 400 }), `${kind}: ${ran.get(kind)} ran.`);
});
