import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import type * as GraphQLModule from 'graphql';
import type { GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { Random } from '../test/support/random.ts';

/** The copy that the library uses: this folder has another one. */
const librarysGraphQL = createRequire(new URL('../src/entries/index.ts', import.meta.url)).resolve('graphql');
export const graphql = (await import(pathToFileURL(librarysGraphQL).href)) as typeof GraphQLModule;
const { buildSchema, getNamedType, isAbstractType, isInputType, isLeafType, isObjectType, parse, validate } = graphql;

/** A schema, a document for it, and its data. */
export interface DocumentShape {
  readonly name: string;
  /** Several roots: the document runs with each in turn. */
  readonly typeDefs: readonly string[];
  readonly text: string;
  readonly rootValue: unknown;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Shapes that were slow: many types for one field, many levels. */
export function knownShapes(): DocumentShape[] {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  const types = (count: number, body: string): string =>
    numbers(count)
      .map((at) => `type T${at} implements N { ${body} }`)
      .join('\n');
  const nodes = (count: number, one: object): object[] => numbers(count).map((at) => ({ __typename: `T${at}`, ...one }));
  const eight = numbers(8).map((at) => `f${at}`);
  const eightFields = eight.map((name) => `${name}: String`).join(' ');
  const eightValues = Object.fromEntries(eight.map((name) => [name, name]));
  const small = { id: 1, name: 'x' };
  const interfaceOf = (count: number): string =>
    `interface N { id: ID name: String n: [N] } ${types(count, 'id: ID name: String n: [N]')} type Query { n: [N] }`;
  const wide = `interface N { ${eightFields} } ${types(120, eightFields)} union U = ${numbers(120)
    .map((at) => `T${at}`)
    .join(' | ')} type Query { n: [N] u: [U] }`;
  const level = (depth: number): object => (depth === 0 ? { id: 1 } : { id: 1, a: level(depth - 1) });
  const nested = (depth: number): string => (depth === 0 ? '{ id }' : `{ a ${nested(depth - 1)} }`);
  return [
    {
      name: '120 types x 8 fields, by an interface',
      typeDefs: [wide],
      text: `{ n { ${eight.join(' ')} } }`,
      rootValue: { n: nodes(120, eightValues) },
    },
    {
      name: '120 types x 8 fields, by a union and a fragment',
      typeDefs: [wide],
      text: `{ u { ... on N { ${eight.join(' ')} } } }`,
      rootValue: { u: nodes(120, eightValues) },
    },
    {
      name: '120 types x 8 fields, a fragment for each',
      typeDefs: [wide],
      text: `{ u { ${numbers(120)
        .map((at) => `... on T${at} { ${eight.join(' ')} }`)
        .join(' ')} } }`,
      rootValue: { u: nodes(120, eightValues) },
    },
    { name: 'interface of 60 types, 2 fields', typeDefs: [interfaceOf(60)], text: '{ n { id name } }', rootValue: { n: nodes(60, small) } },
    {
      name: 'interface of 30 types, nested in itself',
      typeDefs: [interfaceOf(30)],
      text: '{ n { id name n { id name } } }',
      rootValue: { n: nodes(30, { ...small, n: nodes(30, small) }) },
    },
    {
      name: 'interface of 60 types, nested in itself',
      typeDefs: [interfaceOf(60)],
      text: '{ n { id n { id name } } }',
      rootValue: { n: nodes(60, { ...small, n: nodes(60, small) }) },
    },
    {
      name: '60 aliases',
      typeDefs: ['type Query { a: String }'],
      text: `{ ${numbers(60)
        .map((at) => `a${at}: a`)
        .join(' ')} }`,
      rootValue: { a: 'x' },
    },
    { name: '190 levels', typeDefs: ['type Query { a: Query id: ID }'], text: nested(190), rootValue: level(190) },
    {
      name: 'one document on two schemas in turn',
      typeDefs: [interfaceOf(3), `${interfaceOf(3)} type Spare { id: ID }`],
      text: '{ n { id name n { id } } }',
      rootValue: { n: nodes(3, { ...small, n: nodes(3, small) }) },
    },
    { name: 'hello', typeDefs: ['type Query { a: String }'], text: '{ a }', rootValue: { a: 'x' } },
  ];
}

/** Random schemas of one to 60 object types under interfaces and unions, and a query for a part of each. */
export function generatedShapes(random: Random, count: number): DocumentShape[] {
  return Array.from({ length: count }, (_, at) => generateShape(random, at));
}

function generateShape(random: Random, at: number): DocumentShape {
  const types = random.pick([1, 3, 10, 30, 60]);
  const leaves = 1 + random.below(12);
  const fields = [
    ...Array.from(
      { length: leaves },
      (_, leaf) =>
        `f${leaf}${random.chance(0.3) ? '(x: Int = 1, y: In)' : ''}: ${random.pick(['Int', 'String!', 'Float', 'ID', 'E', '[Int]'])}`,
    ),
    `next: ${random.pick(['N', 'U', 'T0', '[N]', '[U!]', '[T0!]!'])}`,
    `other: ${random.pick(['N', '[T0]', '[U]'])}`,
  ].join(' ');
  const names = Array.from({ length: types }, (_, type) => `T${type}`);
  const typeDefs = `input In { a: Int = 1 b: [String!] c: In } enum E { A B } interface N { ${fields} } ${names.map((name) => `type ${name} implements N { ${fields} }`).join(' ')} union U = ${names.join(' | ')} type Query { n: [N] u: U t: T0 }`;
  const schema = buildSchema(typeDefs);
  const depth = 1 + random.below(4);
  const text = `query ($v: Int = 2, $in: In, $c: Boolean = true) ${selectionOf(schema, schema.getQueryType()!, random, depth)}`;
  const budget = { left: 400 };
  const rootValue = valueOf(schema, schema.getQueryType()!, random, { depth, budget });
  const name = `generated ${at}: ${types} types, ${leaves} leaves, ${depth} levels, ${text.length} characters`;
  const document = parse(text);
  const unused = validate(schema, document).some(({ message }) => !message.includes('is never used'));
  if (unused) throw new Error(validate(schema, document).join('\n'));
  return { name, typeDefs: [typeDefs], text, rootValue, variables: { in: { a: 3, b: ['x'], c: { a: 4 } } } };
}

function selectionOf(schema: GraphQLSchema, type: GraphQLNamedType, random: Random, depth: number): string {
  if (type.name === 'U') return `{ __typename ... on N ${selectionOf(schema, schema.getType('N')!, random, depth)} }`;
  const asked = Object.values((type as GraphQLObjectType).getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    const values =
      field.args.length > 0 && random.chance(0.6) ? random.pick(['(x: $v)', '(x: 3)', '(y: { a: 1, b: ["x"] })', '(y: $in)']) : '';
    const condition = random.chance(0.05) ? ' @include(if: $c)' : '';
    const alias = random.chance(0.1) ? `a${field.name}: ` : '';
    if (isLeafType(named)) return random.chance(0.7) ? [`${alias}${field.name}${values}${condition}`] : [];
    return depth > 0 ? [`${alias}${field.name}${condition} ${selectionOf(schema, named, random, depth - 1)}`] : [];
  });
  return `{ __typename ${asked.join(' ')} }`;
}

interface Extent {
  readonly depth: number;
  readonly budget: { left: number };
}

function valueOf(schema: GraphQLSchema, type: GraphQLNamedType, random: Random, { depth, budget }: Extent): unknown {
  if (isLeafType(type))
    return type.name === 'E' ? 'A' : type.name === 'ID' || type.name === 'String' ? `text ${random.below(100)}` : random.below(1_000);
  if (isInputType(type)) return null;
  const object = isAbstractType(type) ? random.pick(schema.getPossibleTypes(type)) : isObjectType(type) ? type : undefined;
  budget.left--;
  const properties = Object.values(object!.getFields()).map((field) => {
    const named = getNamedType(field.type);
    if (!isLeafType(named) && (depth <= 0 || budget.left < 0)) return [field.name, String(field.type).startsWith('[') ? [] : null];
    const one = (): unknown => valueOf(schema, named, random, { depth: depth - 1, budget });
    return [field.name, String(field.type).startsWith('[') ? Array.from({ length: random.pick([1, 3, 10]) }, one) : one()];
  });
  return { __typename: object!.name, ...Object.fromEntries(properties) };
}
