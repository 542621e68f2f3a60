/** Random schemas whose lists have sizes of every kind, with resolvers that return as many items as a client can get, and random operations. */
import { GraphQLScalarType } from 'graphql';

import { batch } from '../../../../../src/entries/index.ts';
import type { LimitsOptions } from '../../../../../src/entries/limits.ts';
import type { Random } from '../../../../support/random.ts';

/** What random operations have resolved, in points. */
export interface Tally {
  points: number;
}

export interface RandomShop {
  readonly typeDefs: string;
  readonly resolvers: Readonly<Record<string, unknown>>;
  readonly limits: LimitsOptions;
  readonly isSubgraph: boolean;
  /** Operations run by plans, not by graphql-js. */
  readonly isPlanned: boolean;
  readonly operation: (name: string) => RandomOperation;
}

export interface RandomOperation {
  readonly query: string;
  /** The same as a route of `rest()`. */
  readonly route: (method: string) => string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The types of arguments that may be sizes, with literals of their values, as JSON. */
const sizeTypes: Readonly<Record<string, readonly string[]>> = {
  Int: ['0', '1', '3', '5', '-1', 'null'],
  Float: ['0.4', '1', '2.5', '4.9', '3e0', 'null'],
  String: ['"3"', '"4abc"', '"2.5"', '"0x5"', '"4e0"', '" 5 "', '"abc"', '""', 'null'],
  Any: ['4', '2.5', '"5 rows"', '"0x3"', '"few"', 'true', '{ "first": 9 }', '[1, 2]', 'null'],
  '[Int]': ['[]', '[7]', '[1, 2, 3, 4, 5]', 'null'],
  Size: ['SMALL', 'LARGE', 'null'],
};
const sizeNames = ['first', 'last', 'limit', 'rows'];

interface Argument {
  readonly name: string;
  /** A type of `sizeTypes`, or of the inputs. */
  readonly type: string;
  /** A literal. */
  readonly byDefault: string | undefined;
}

interface Field {
  readonly name: string;
  readonly args: readonly Argument[];
  /** The type behind its lists. */
  readonly of: string;
  readonly dimensions: number;
}

interface Type {
  readonly name: string;
  readonly kind: 'object' | 'interface' | 'root';
  readonly fields: readonly Field[];
}

const inputs: Readonly<Record<string, readonly Argument[]>> = {
  Page: [
    { name: 'first', type: 'Float', byDefault: undefined },
    { name: 'limit', type: 'String', byDefault: undefined },
    { name: 'after', type: 'String', byDefault: undefined },
  ],
  Part: [
    { name: 'rows', type: 'Any', byDefault: undefined },
    { name: 'last', type: 'Int', byDefault: '4' },
  ],
};

export function randomShop(random: Random, tally: Tally): RandomShop {
  const isSubgraph = random.chance(0.3);
  const objects = ['A', 'B', 'C'];
  const argument = (name: string): Argument => {
    const type = random.pick(Object.keys(sizeTypes));
    const literals = sizeTypes[type]!.filter((literal) => literal !== 'null' && !literal.includes('{'));
    return { name, type, byDefault: random.chance(0.2) ? random.pick(literals) : undefined };
  };
  const argumentsOf = (): readonly Argument[] => [
    ...sizeNames.filter(() => random.chance(0.3)).map(argument),
    ...(random.chance(0.25) ? [{ name: 'by', type: random.pick(['Page', 'Part', '[Page]', '[Part!]']), byDefault: undefined }] : []),
    ...(random.chance(0.2) ? [{ name: 'text', type: 'String', byDefault: undefined }] : []),
  ];
  const field = (name: string, of: string, dimensions: number): Field => ({
    name,
    of,
    dimensions,
    args: random.chance(dimensions === 0 ? 0.4 : 0.7) ? argumentsOf() : [],
  });
  const fieldsOf = (): readonly Field[] => [
    { name: 'id', of: 'ID', dimensions: 0, args: [] },
    ...Array.from({ length: 2 + random.below(3) }, (_, at) =>
      field(`f${at}`, random.pick([...objects, 'Node', 'ID']), random.pick([0, 1, 1, 2])),
    ),
  ];
  const node: Type = {
    name: 'Node',
    kind: 'interface',
    fields: [{ name: 'id', of: 'ID', dimensions: 0, args: [] }, field('nodes', 'A', 1)],
  };
  // An object may have more arguments for a field of its interface.
  const nodesOf = (): Field => ({ ...node.fields[1]!, args: [...node.fields[1]!.args, ...argumentsOf().filter(({ name }) => !node.fields[1]!.args.some((one) => one.name === name))] }); // prettier-ignore
  const types: readonly Type[] = [
    { name: 'Query', kind: 'root', fields: fieldsOf() },
    node,
    ...objects.map((name): Type => ({ name, kind: 'object', fields: [...fieldsOf(), nodesOf()] })),
  ];
  const byName = new Map(types.map((type) => [type.name, type]));
  const weighted = types.flatMap((type) => type.fields.filter(() => random.chance(0.05)).map(({ name }) => `${type.name}.${name}`));
  const pages = 1 + random.below(5);
  const limits: LimitsOptions = {
    listSize: 1 + random.below(4),
    sizeArguments: sizeNames,
    fields: Object.fromEntries(weighted.map((coordinate) => [coordinate, random.below(4)])),
    ...(random.chance(0.5) && { pageLimits: { default: pages, max: pages + random.below(6) } }),
  };
  const shop = { random, types, byName, limits, tally, isSubgraph };
  return {
    typeDefs: typeDefsOf(shop),
    resolvers: resolversOf(shop),
    limits,
    isSubgraph,
    isPlanned: limits.pageLimits !== undefined || random.chance(0.7),
    operation: (name) => new Writer(shop).write(name),
  };
}

interface Shop {
  readonly random: Random;
  readonly types: readonly Type[];
  readonly byName: ReadonlyMap<string, Type>;
  readonly limits: LimitsOptions;
  readonly tally: Tally;
  readonly isSubgraph: boolean;
}

const typeOf = ({ of, dimensions }: Field): string => '['.repeat(dimensions) + of + ']'.repeat(dimensions);

function typeDefsOf({ types, isSubgraph }: Shop): string {
  const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';
  const written = ({ name, type, byDefault }: Argument): string =>
    `${name}: ${type}${byDefault === undefined ? '' : ` = ${literalOf(byDefault)}`}`;
  const heads = { object: 'implements Node', interface: '', root: '' };
  return [
    ...(isSubgraph ? [link] : []),
    'scalar Any',
    'enum Size { SMALL LARGE }',
    ...Object.entries(inputs).map(([name, members]) => `input ${name} { ${members.map(written).join(' ')} }`),
    ...types.map(({ name, kind, fields }) => {
      const lines = fields.map(
        (field) => `${field.name}${field.args.length === 0 ? '' : `(${field.args.map(written).join(', ')})`}: ${typeOf(field)}`,
      );
      const key = isSubgraph && kind === 'object' ? ' @key(fields: "id")' : '';
      return `${kind === 'interface' ? 'interface' : 'type'} ${name} ${heads[kind]}${key} { ${lines.join(' ')} }`;
    }),
  ].join('\n');
}

/** JSON with unquoted keys. */
const literalOf = (json: string): string => json.replaceAll(/"(\w+)": /g, '$1: ');

/** A parent: its type, and how many items its lists without arguments have. */
interface Parent {
  readonly __typename: string;
  readonly items: number;
}

function resolversOf(shop: Shop): Readonly<Record<string, unknown>> {
  const { random, types, limits, tally, isSubgraph } = shop;
  const { listSize = 10 } = limits;
  const given = (value: unknown): unknown => value;
  const member = (type: Type, field: Field): unknown => {
    const weight =
      limits.fields?.[`${type.name}.${field.name}`] ?? (type.kind === 'object' ? limits.fields?.[`Node.${field.name}`] : undefined) ?? 1;
    const resolve = (parent: Parent | undefined, args: Readonly<Record<string, unknown>>): unknown => {
      tally.points += weight;
      if (field.of === 'ID' && field.dimensions === 0) return 'id';
      const isSized = hasSizes(field);
      const count = isSized ? itemsFor(shop, field, args) : field.dimensions === 0 ? listSize : (parent?.items ?? listSize);
      const make = (dimensions: number, size: number): unknown => {
        if (dimensions > 0) return Array.from({ length: size }, () => make(dimensions - 1, listSize));
        if (field.of === 'ID') return 'id';
        const name = field.of === 'Node' ? random.pick(['A', 'B', 'C']) : field.of;
        return { __typename: name, items: field.dimensions === 0 ? count : listSize } satisfies Parent;
      };
      return make(field.dimensions, count);
    };
    if (type.kind === 'root' || random.chance(0.7)) return resolve;
    return batch((parents, args) => parents.map((parent: Parent) => resolve(parent, args)));
  };
  const mapOf = (type: Type): object => ({
    ...Object.fromEntries(type.fields.map((field) => [field.name, member(type, field)])),
    ...(isSubgraph && type.kind === 'object' && { __resolveReference: () => ({ __typename: type.name, items: listSize }) }),
  });
  return {
    Any: new GraphQLScalarType({ name: 'Any', coerceInputValue: given, parseValue: given } as never),
    Size: { SMALL: 2, LARGE: 5 },
    ...Object.fromEntries(types.filter(({ kind }) => kind !== 'interface').map((type) => [type.name, mapOf(type)])),
  };
}

const isSize = ({ name, type }: Argument): boolean => sizeNames.includes(name) && type in sizeTypes;
const membersOf = ({ type }: Argument): readonly Argument[] => inputs[type.replaceAll(/[[\]!]/g, '')] ?? [];

function hasSizes({ args }: Field): boolean {
  return args.some((one) => isSize(one) || membersOf(one).some(isSize));
}

/** The most items that a resolver returns for the arguments that it gets: the larger of all sizes, however it reads them. */
function itemsFor({ limits, byName }: Shop, { args, of, dimensions }: Field, values: Readonly<Record<string, unknown>>): number {
  let direct = 0;
  let isUnclear = false;
  let inObjects = 0;
  for (const argument of args) {
    const value = values[argument.name];
    if (value === undefined || value === null) continue;
    if (isSize(argument)) {
      const size = sizeIn(value, argument.type === '[Int]');
      if (size > 0) direct = Math.max(direct, size);
      else isUnclear = true;
    } else
      for (const object of Array.isArray(value) ? (value as unknown[]) : [value])
        for (const member of membersOf(argument).filter(isSize))
          inObjects = Math.max(inObjects, sizeIn((object as Record<string, unknown> | null)?.[member.name], false));
  }
  const { listSize = 10, pageLimits } = limits;
  const isPage = dimensions > 0 || ofLists(byName, of);
  const byDefault = isPage ? (pageLimits?.default ?? listSize) : listSize;
  return Math.max(direct, inObjects, direct === 0 || isUnclear ? byDefault : 0);
}

/** True for a type with a list, like a connection, and for an interface with such an object. */
function ofLists(byName: Shop['byName'], name: string): boolean {
  const names = name === 'Node' ? ['A', 'B', 'C'] : [name];
  return names.some((one) => byName.get(one)?.fields.some(({ dimensions }) => dimensions > 0) === true);
}

/** Kept, because a test replaces it. */
const { parseInt } = Number;

/** How many times a loop runs up to a number, or to what a resolver reads in a text. */
function sizeIn(value: unknown, isList: boolean): number {
  if (isList && Array.isArray(value)) return value.length;
  const readings = typeof value === 'number' ? [value] : typeof value === 'string' ? [Number(value), parseInt(value)] : [];
  let count = 0;
  for (const reading of readings) for (let at = count; at < reading; at++) count++;
  return count;
}

/** Writes a random operation. */
class Writer {
  readonly #shop: Shop;
  readonly #random: Random;
  readonly #definitions: string[] = [];
  readonly #fragments: string[] = [];
  readonly #variables: Record<string, unknown> = {};
  #names = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
    this.#random = shop.random;
  }

  write(name: string): RandomOperation {
    const random = this.#random;
    const asksEntities = this.#shop.isSubgraph && random.chance(0.3);
    const selection = asksEntities ? this.#entities() : this.#selection(this.#shop.byName.get('Query')!, 3);
    const definitions = this.#definitions.length === 0 ? '' : `(${this.#definitions.join(', ')})`;
    const textWith = (directive: string): string =>
      [`query ${name}${definitions} ${directive} ${selection}`, ...this.#fragments].join('\n');
    const route = (method: string): string => textWith(`@http(method: ${method}, route: "/${method}/${name}")`);
    return { query: textWith(''), route, variables: this.#variables };
  }

  #entities(): string {
    const random = this.#random;
    const of = ['A', 'B', 'C'].filter(() => random.chance(0.7));
    const references = JSON.stringify(
      Array.from({ length: random.below(6) }, () => ({ __typename: random.pick(['A', 'B', 'C']), id: '1' })),
    );
    const representations = random.chance(0.5)
      ? references.replaceAll(/"(\w+)":/g, '$1: ')
      : this.#variable('[_Any!]!', JSON.parse(references), undefined);
    const selections = of.map((name) => `... on ${name} ${this.#selection(this.#shop.byName.get(name)!, 2)}`);
    return `{ _entities(representations: ${representations}) { __typename ${selections.join(' ')} } }`;
  }

  #selection(type: Type, depth: number): string {
    const random = this.#random;
    const fields = type.fields.filter(({ of, dimensions }) => depth > 0 || (of === 'ID' && dimensions === 0));
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(fields));
    const written = chosen.map((field) => this.#wrapped(type, this.#field(field, depth)));
    if (random.chance(0.15)) written.push('__typename');
    if (type.kind === 'interface' && depth > 0 && random.chance(0.4)) {
      const name = random.pick(['A', 'B', 'C']);
      written.push(`... on ${name} ${this.#selection(this.#shop.byName.get(name)!, depth)}`);
    }
    return `{ ${written.join(' ')} }`;
  }

  /** In a fragment, or not. */
  #wrapped({ name: type }: Type, text: string): string {
    const random = this.#random;
    if (random.chance(0.1)) return `... @include(if: ${random.chance(0.8)}) { ${text} }`;
    if (!random.chance(0.1)) return text;
    const name = `F${this.#names++}`;
    this.#fragments.push(`fragment ${name} on ${type} { ${text} }`);
    return `...${name}`;
  }

  #field(field: Field, depth: number): string {
    const args = field.args.filter(() => this.#random.chance(0.6)).map((argument) => `${argument.name}: ${this.#value(argument)}`);
    const type = this.#shop.byName.get(field.of);
    const selection = type === undefined ? '' : ` ${this.#selection(type, depth - 1)}`;
    return `x${this.#names++}: ${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${selection}`;
  }

  #value(argument: Argument): string {
    const random = this.#random;
    const literal = this.#literal(argument);
    if (random.chance(0.5)) return literalOf(literal);
    const { type } = argument;
    const isGiven = random.chance(0.7);
    const byDefault = random.chance(0.3) ? this.#literal(argument) : undefined;
    return this.#variable(type, isGiven ? JSON.parse(literal.replaceAll(/\b(SMALL|LARGE)\b/g, '"$1"')) : undefined, byDefault);
  }

  #variable(type: string, value: unknown, byDefault: string | undefined): string {
    const name = `v${this.#names++}`;
    this.#definitions.push(`$${name}: ${type}${byDefault === undefined ? '' : ` = ${literalOf(byDefault)}`}`);
    if (value !== undefined) this.#variables[name] = value;
    return `$${name}`;
  }

  /** A literal as JSON, but for names of enums. */
  #literal({ type }: Argument): string {
    const random = this.#random;
    const literals = sizeTypes[type];
    if (literals !== undefined) return random.pick(literals);
    if (type.startsWith('[')) {
      const item = { name: '', type: type.replaceAll(/[[\]!]/g, ''), byDefault: undefined };
      return `[${Array.from({ length: random.below(3) }, () => this.#literal(item)).join(', ')}]`;
    }
    const members = inputs[type]!.filter(() => random.chance(0.6));
    return `{ ${members.map((member) => `"${member.name}": ${this.#literal(member)}`).join(', ')} }`;
  }
}
