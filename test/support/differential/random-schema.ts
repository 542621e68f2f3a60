import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  responsePathAsArray,
} from 'graphql';
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLNullableType,
  GraphQLOutputType,
  GraphQLResolveInfo,
} from 'graphql';

import type { Random } from '../random.ts';
import { logCall } from './behaviour.ts';
import type { Behaviour } from './behaviour.ts';
import { declaredType } from './without-propagation.ts';

/** The context of the resolvers of a random schema. */
export interface FuzzContext {
  readonly behaviour: Behaviour;
}

type FieldConfig = GraphQLFieldConfig<unknown, FuzzContext>;

/** A scalar that rejects some values, and turns others into null or undefined. */
function oddScalar(): GraphQLScalarType {
  const convert = (value: unknown): unknown => {
    if (typeof value === 'number' && value > 20) throw new GraphQLError(`Odd cannot be ${value}`);
    if (value === true) return null;
    if (value === false) return undefined;
    return typeof value === 'string' ? value.toUpperCase() : `odd ${String(value)}`;
  };
  return new GraphQLScalarType({ name: 'Odd', serialize: convert });
}

/** A schema of about a dozen types with random fields, which covers every case of execution. */
export function randomSchema(random: Random): GraphQLSchema {
  const color = new GraphQLEnumType({ name: 'Color', values: { RED: { value: 1 }, GREEN: { value: 'g' }, BLUE: {} } });
  const leaves = [GraphQLString, GraphQLInt, GraphQLFloat, GraphQLBoolean, GraphQLID, color, oddScalar()];
  const box = new GraphQLInputObjectType({
    name: 'Box',
    fields: { size: { type: GraphQLInt, defaultValue: 5 }, label: { type: GraphQLString }, colors: { type: new GraphQLList(color) } },
  });
  const strict = new GraphQLInputObjectType({
    name: 'Strict',
    fields: {
      need: { type: new GraphQLNonNull(GraphQLInt) },
      spare: { type: new GraphQLNonNull(GraphQLFloat), defaultValue: 1.5 },
      boxes: { type: new GraphQLList(new GraphQLList(box)) },
    },
  });
  const inputs = { color, box, strict };
  const objects: GraphQLObjectType[] = [];
  const composites: GraphQLOutputType[] = [];
  const randomType = (): GraphQLOutputType => wrap(random, random.chance(0.5) ? random.pick(leaves) : random.pick(composites));
  const randomResolver = (type: GraphQLOutputType): Pick<FieldConfig, 'resolve'> =>
    random.chance(0.5) ? { resolve: resolverOf(random, type) } : {};
  const randomField = (): FieldConfig => {
    const type = randomType();
    return { type, args: random.chance(0.4) ? randomArguments(random, inputs) : {}, ...randomResolver(type) };
  };

  const sharedFields = ['shared0', 'shared1'];
  const interfaces = ['Node', 'Named'].map((name) => {
    const fields = once(() =>
      Object.fromEntries(sharedFields.map((field) => [`${field}${name}`, { type: randomType(), args: randomArguments(random, inputs) }])),
    );
    return new GraphQLInterfaceType({ name, fields, ...(random.chance(0.6) && { resolveType: chooseType }) });
  });
  for (let number = 0; number < 5; number++) {
    const implemented = interfaces.filter(() => random.chance(0.6));
    objects.push(
      new GraphQLObjectType<unknown, FuzzContext>({
        name: `Thing${number}`,
        interfaces: implemented,
        fields: once(() => {
          const own = Object.fromEntries(Array.from({ length: 5 }, (_, field) => [`field${field}`, randomField()]));
          const inherited = implemented.flatMap((type) =>
            Object.values(type.toConfig().fields).map(
              (field, at) =>
                [`${sharedFields[at]}${type.name}`, { type: field.type, args: field.args, ...randomResolver(field.type) }] as const,
            ),
          );
          return { ...own, ...Object.fromEntries(inherited) };
        }),
        ...(random.chance(0.35) && { isTypeOf: acceptType(`Thing${number}`) }),
      }),
    );
  }
  const union = new GraphQLUnionType({
    name: 'Either',
    types: objects.filter((_, at) => at % 2 === 0),
    ...(random.chance(0.5) && { resolveType: chooseType }),
  });
  composites.push(...objects, union, ...interfaces.filter((type) => objects.some((object) => object.getInterfaces().includes(type))));

  const root = (name: string, count: number): GraphQLObjectType =>
    new GraphQLObjectType({
      name,
      fields: once(() => Object.fromEntries(Array.from({ length: count }, (_, at) => [`root${at}`, randomField()]))),
    });
  return new GraphQLSchema({ query: root('Query', 8), mutation: root('Mutation', 5), types: [...objects, ...interfaces] });
}

/** Makes each choice only once, because a thunk is called again when a type is copied. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function wrap(random: Random, type: GraphQLOutputType): GraphQLOutputType {
  let wrapped = type as GraphQLNullableType;
  while (random.chance(0.25)) wrapped = new GraphQLList(random.chance(0.4) ? new GraphQLNonNull(wrapped) : wrapped) as GraphQLNullableType;
  return (random.chance(0.3) ? new GraphQLNonNull(wrapped) : wrapped) as GraphQLOutputType;
}

function randomArguments(
  random: Random,
  { color, box, strict }: Readonly<Record<'color', GraphQLEnumType> & Record<'box' | 'strict', GraphQLInputObjectType>>,
): GraphQLFieldConfigArgumentMap {
  const all: GraphQLFieldConfigArgumentMap = {
    number: { type: GraphQLInt },
    text: { type: GraphQLString, defaultValue: 'default' },
    color: { type: color, defaultValue: 'g' },
    box: { type: box },
    boxes: { type: new GraphQLList(new GraphQLNonNull(box)), defaultValue: [{ size: 1 }] },
    id: { type: new GraphQLNonNull(GraphQLID), defaultValue: 'none' },
    flag: { type: new GraphQLNonNull(GraphQLBoolean) },
    strict: { type: strict },
    ratio: { type: GraphQLFloat },
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => random.chance(name === 'flag' ? 0.15 : 0.4)));
}

/** Resolvers that receive all of their arguments or only some: an executor need not create the others. */
function resolverOf(random: Random, type: GraphQLOutputType): NonNullable<FieldConfig['resolve']> {
  const seed = random.below(1000);
  const valueFor = (source: unknown, behaviour = (source as { behaviour?: Behaviour } | undefined)?.behaviour): unknown =>
    behaviour?.value(type, `${String((source as { place?: unknown }).place)}.${seed}`);
  return random.pick<NonNullable<FieldConfig['resolve']>>([
    misbehave,
    misbehave,
    () => behaviourless(seed),
    (source) => valueFor(source),
    (source, args) => (logCall('two', String(seed), args), valueFor(source)),
    (source, args, { behaviour }) => (logCall('three', String(seed), args), valueFor(source, behaviour)),
    {
      resolve(source: unknown, args: unknown): unknown {
        logCall('method', String(seed), args);
        return valueFor(source);
      },
    }.resolve,
    function (source: unknown): unknown {
      return misbehave.apply(undefined, arguments as unknown as Parameters<typeof misbehave>) ?? source;
    },
  ]);
}

/** A value that does not depend on the parent. */
function behaviourless(seed: number): unknown {
  return [null, 'text', seed, new Error('no parent'), {}][seed % 5];
}

function misbehave(_: unknown, args: unknown, { behaviour }: FuzzContext, info: GraphQLResolveInfo): unknown {
  const place = placeOf(info);
  logCall(
    place,
    `${info.parentType.name}.${info.fieldName} ${Object.keys(info).join(' ')} ${info.fieldNodes.length} ${pathText(info)}`,
    args,
  );
  return behaviour.value(declaredType(info.parentType.getFields()[info.fieldName]!), place);
}

function pathText(info: GraphQLResolveInfo): string {
  return `${String(info.path.typename)} ${String(info.path.prev?.typename)}`;
}

function chooseType(value: unknown, { behaviour }: FuzzContext, info: GraphQLResolveInfo): never {
  const { __typename: right, place } = value as { __typename?: unknown; place?: string };
  return behaviour.answer(`${placeOf(info)}#${place ?? ''}`, right, [
    null,
    'Nothing',
    'Color',
    'Query',
    'Thing1',
    3,
    { name: 'Thing0' },
  ]) as never;
}

function acceptType(name: string): (value: unknown, context: FuzzContext, info: GraphQLResolveInfo) => boolean {
  return (value, { behaviour }, info) => {
    const { __typename: actual, place } = value as { __typename?: unknown; place?: string };
    return behaviour.answer(`${placeOf(info)}#${place ?? ''}#${name}`, actual === undefined || actual === name, [
      false,
      0,
      true,
    ]) as boolean;
  };
}

function placeOf(info: GraphQLResolveInfo): string {
  return responsePathAsArray(info.path).join('.');
}
