import { specifiedScalarTypes } from 'graphql';

import { didYouMean, listOf } from '../../../shared/index.ts';
import { describeValue } from './merge-resolvers.ts';
import type { MergedResolvers, MergedTypeResolvers } from './merge-resolvers.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { SchemaIndex, TypeEntry } from '../sdl/schema-index.ts';
import { membersAt } from '../sdl/sdl-definitions.ts';
import type { TypeKind } from '../sdl/location.ts';

/** Throws an Error for a resolver that could never run: for an unknown type or field, or one that is not a function. */
export function checkResolvers(resolvers: MergedResolvers, index: SchemaIndex): void {
  checkTypeNames(resolvers, index);
  for (const name of resolvers.names()) {
    checkTypeResolvers({ entry: index.types.get(name)!, resolvers: resolvers.get(name)!, index });
  }
}

/** Checks the names of types at every start, because unknown types are never created and so never checked later. */
export function checkTypeNames(resolvers: MergedResolvers, index: SchemaIndex): void {
  const { types } = index;
  for (const name of resolvers.names()) {
    if (specifiedScalarTypes.some((type) => type.name === name))
      throw new Error(`resolvers.${name} would change the built-in scalar "${name}". Define a scalar with another name.`);
    if (!types.has(name)) throw new Error(unknownType(name, index));
  }
}

/** One type and its resolvers. */
export interface ResolversToCheck {
  readonly entry: TypeEntry;
  readonly resolvers: MergedTypeResolvers;
  readonly index: SchemaIndex;
  /** The names of its fields or values. Default: found in the text. */
  readonly members?: { has(name: string): boolean };
}

/** Checks the resolvers of a type when it is created. */
export function checkTypeResolvers(type: ResolversToCheck): void {
  checks[type.entry.kind](type);
}

type Check = (type: ResolversToCheck) => void;

const checks: Readonly<Record<TypeKind, Check>> = {
  type: checkFields,
  interface: checkFields,
  union: checkUnion,
  enum: checkEnum,
  input: checkInput,
  scalar: checkScalar,
};

/** The special resolver of each kind of type. */
const special: Readonly<Partial<Record<TypeKind, string>>> = {
  type: '__isTypeOf',
  interface: '__resolveType',
  union: '__resolveType',
};

function unknownType(name: string, index: SchemaIndex): string {
  const known = [...index.types.keys()];
  const hint =
    name === 'default' ? ' Is it a module? Then write `resolvers: module.default`.' : ownerHint(name, index) || didYouMean(name, known);
  return `resolvers name the type "${name}", which typeDefs do not define.${hint} typeDefs define ${listOf(known)}.`;
}

/** The advice for a resolver at the top level, where its type should be. */
function ownerHint(name: string, index: SchemaIndex): string {
  for (const entry of index.types.values()) {
    if (entry.kind === 'type' && namesIn({ entry, index }).has(name))
      return ` "${name}" is a field of ${entry.name}: write { ${entry.name}: { ${name} } }.`;
  }
  return '';
}

function checkFields(type: ResolversToCheck): void {
  const { entry, resolvers, members = namesIn(type) } = type;
  for (const field of resolvers.names()) {
    const resolver = resolvers.given(field);
    // The usual case first: in a schema of 3,000 types, Query has 2,000 resolvers.
    if (typeof resolver === 'function' && members.has(field)) continue;
    checkName(type, members, field);
    if (field.startsWith('__')) checkFunction(`${entry.name}.${field}`, resolver);
    else checkFieldResolver(`${entry.name}.${field}`, resolver);
  }
}

function checkUnion({ entry, resolvers }: ResolversToCheck): void {
  for (const name of resolvers.names()) {
    checkSpecial(entry, name);
    if (!name.startsWith('__'))
      throw new Error(`resolvers.${entry.name}.${name}: "${entry.name}" is a union and has no fields; it takes __resolveType.`);
    checkFunction(`${entry.name}.${name}`, resolvers.given(name));
  }
}

function checkEnum(type: ResolversToCheck): void {
  const { entry, resolvers, members = namesIn(type) } = type;
  for (const name of resolvers.names()) {
    checkName(type, members, name);
    if (typeof resolvers.given(name) === 'function')
      throw new Error(`resolvers.${entry.name}.${name} takes the internal value of "${name}", got a function.`);
  }
}

function checkInput({ entry: { name }, resolvers }: ResolversToCheck): void {
  if (resolvers.names().size === 0) return;
  throw new Error(`resolvers.${name}: "${name}" is an input type; its fields are what the client sends and have no resolvers. Remove it.`);
}

function checkScalar({ entry: { name }, resolvers }: ResolversToCheck): void {
  if (resolvers.scalar !== undefined) return;
  for (const key of resolvers.names()) {
    const option = key.replace(/^__/, '');
    if (!scalarOptions.includes(option)) {
      throw new Error(
        `resolvers.${name}.${key}: a scalar takes serialize, parseValue and parseLiteral, or is a GraphQLScalarType.${didYouMean(option, scalarOptions)}`,
      );
    }
    if (scalarFunctions.includes(option)) checkFunction(`${name}.${key}`, resolvers.given(key));
  }
}

const scalarFunctions: readonly string[] = [
  'serialize',
  'parseValue',
  'parseLiteral',
  // Names in graphql 17.
  'coerceOutputValue',
  'coerceInputValue',
  'coerceInputLiteral',
  'valueToLiteral',
];
const scalarOptions: readonly string[] = [...scalarFunctions, 'name', 'description', 'specifiedByURL', 'extensions'];

function checkName(type: ResolversToCheck, members: { has(name: string): boolean }, name: string): void {
  const { entry } = type;
  checkSpecial(entry, name);
  if (name.startsWith('__') || members.has(name)) return;
  const known = [...namesIn(type)];
  const what = entry.kind === 'enum' ? 'the value' : 'the field';
  throw new Error(
    `resolvers.${entry.name} names ${what} "${name}", which "${entry.kind} ${entry.name}" does not have.${didYouMean(name, known)} It has ${listOf(known)}.`,
  );
}

function namesIn({ entry, index }: Pick<ResolversToCheck, 'entry' | 'index'>): ReadonlySet<string> {
  return new Set(partsOf(entry).flatMap((at) => membersAt(index, at).map(({ name }) => name)));
}

function checkSpecial({ name: type, kind }: TypeEntry, name: string): void {
  const allowed = special[kind];
  // subgraph() checks reference resolvers.
  if (!name.startsWith('__') || name === allowed || /^__resolveReferences?$/.test(name)) return;
  const hint = allowed ? `besides fields, "${kind} ${type}" takes ${allowed}.` : `"${kind} ${type}" takes no name that starts with "__".`;
  throw new Error(`resolvers.${type}.${name} is not known: ${hint}`);
}

function checkFunction(path: string, value: unknown): void {
  if (typeof value !== 'function') throw new Error(`resolvers.${path} takes a function, got ${describeValue(value)}.`);
}

function checkFieldResolver(path: string, resolver: unknown): void {
  if (typeof resolver === 'function') return;
  const kind = describeValue(resolver);
  if (kind !== 'an object')
    throw new Error(`resolvers.${path} takes a function, or an object with resolve or subscribe, got ${kind}.${resolverHint(kind)}`);
  for (const [key, value] of Object.entries(resolver as object)) {
    if (!fieldOptions.includes(key))
      throw new Error(
        `resolvers.${path}.${key} is not known: a resolver object takes resolve and subscribe.${didYouMean(key, fieldOptions)}`,
      );
    // `{ resolve, subscribe: undefined }` is valid.
    if (value !== undefined && value !== null && (key === 'resolve' || key === 'subscribe')) checkFunction(`${path}.${key}`, value);
  }
}

const fieldOptions: readonly string[] = ['resolve', 'subscribe', 'extensions', 'description', 'deprecationReason'];

function resolverHint(kind: string): string {
  if (kind === 'undefined') return ' Is it imported from a module that imports this one?';
  if (kind === 'a promise') return ' Return the promise from a function: () => …';
  return ' For a constant write a function that returns it: () => …';
}
