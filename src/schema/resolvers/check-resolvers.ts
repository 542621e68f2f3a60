import { specifiedScalarTypes } from 'graphql';

import { didYouMean, listOf } from '../did-you-mean.ts';
import { describeValue, isScalarType } from './merge-resolvers.ts';
import type { MergedResolvers, MergedTypeResolvers } from './merge-resolvers.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { SchemaIndex, TypeEntry } from '../sdl/schema-index.ts';
import { membersAt } from '../sdl/sdl-definitions.ts';
import type { TypeKind } from '../sdl/sdl-scanner.ts';

/**
 * Throws an Error for a resolver that could never run: one for a type or a field that typeDefs do not
 * define, or one that is no function.
 *
 * Always, in production too: it needs the names in the text, not the schema.
 */
export function checkResolvers(resolvers: MergedResolvers, index: SchemaIndex): void {
  if (resolvers.size === 0) return;
  for (const [name, typeResolvers] of resolvers) {
    const entry = index.types.get(name);
    if (isBuiltIn(name))
      throw new Error(`resolvers.${name} would change the built-in scalar "${name}". Define a scalar with a name of its own.`);
    if (entry === undefined) throw new Error(unknownType(name, [...index.types.keys()]));
    checks[entry.kind](entry, typeResolvers, index);
  }
}

type Check = (entry: TypeEntry, resolvers: MergedTypeResolvers, index: SchemaIndex) => void;

const checks: Readonly<Record<TypeKind, Check>> = {
  type: checkFields,
  interface: checkFields,
  union: checkUnion,
  enum: checkEnum,
  input: checkInput,
  scalar: checkScalar,
};

/** What else than fields a type's resolvers may name. */
const special: Readonly<Partial<Record<TypeKind, string>>> = {
  type: '__isTypeOf',
  interface: '__resolveType',
  union: '__resolveType',
};

function isBuiltIn(name: string): boolean {
  return specifiedScalarTypes.some((scalar) => scalar.name === name);
}

function unknownType(name: string, known: readonly string[]): string {
  const hint = name === 'default' ? ' Is it a module? Then write `resolvers: module.default`.' : didYouMean(name, known);
  return `resolvers name the type "${name}", which typeDefs do not define.${hint} typeDefs define ${listOf(known)}.`;
}

function checkFields(entry: TypeEntry, resolvers: MergedTypeResolvers, index: SchemaIndex): void {
  checkNames(entry, resolvers, index, 'the field');
  for (const [field, resolver] of Object.entries(resolvers)) {
    if (field.startsWith('__')) checkFunction(`${entry.name}.${field}`, resolver);
    else checkFieldResolver(`${entry.name}.${field}`, resolver);
  }
}

function checkUnion(entry: TypeEntry, resolvers: MergedTypeResolvers): void {
  for (const [name, resolver] of Object.entries(resolvers)) {
    checkSpecial(entry, name);
    if (!name.startsWith('__'))
      throw new Error(`resolvers.${entry.name}.${name}: "${entry.name}" is a union and has no fields; it takes __resolveType.`);
    checkFunction(`${entry.name}.${name}`, resolver);
  }
}

function checkEnum(entry: TypeEntry, values: MergedTypeResolvers, index: SchemaIndex): void {
  checkNames(entry, values, index, 'the value');
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'function')
      throw new Error(`resolvers.${entry.name}.${name} takes the value that "${name}" has inside the server, got a function.`);
  }
}

function checkInput({ name }: TypeEntry, resolvers: MergedTypeResolvers): void {
  if (Object.keys(resolvers).length === 0) return;
  throw new Error(`resolvers.${name}: "${name}" is an input type; its fields are what the client sends and have no resolvers. Remove it.`);
}

function checkScalar({ name }: TypeEntry, scalar: MergedTypeResolvers): void {
  if (isScalarType(scalar)) return;
  for (const [key, value] of Object.entries(scalar)) {
    const option = key.replace(/^__/, '');
    if (!scalarOptions.includes(option)) {
      throw new Error(
        `resolvers.${name}.${key}: a scalar takes serialize, parseValue and parseLiteral, or is a GraphQLScalarType.${didYouMean(option, scalarOptions)}`,
      );
    }
    if (scalarFunctions.includes(option)) checkFunction(`${name}.${key}`, value);
  }
}

const scalarFunctions: readonly string[] = [
  'serialize',
  'parseValue',
  'parseLiteral',
  // graphql 17's names.
  'coerceOutputValue',
  'coerceInputValue',
  'coerceInputLiteral',
  'valueToLiteral',
];
const scalarOptions: readonly string[] = [...scalarFunctions, 'name', 'description', 'specifiedByURL', 'extensions'];

function checkNames(entry: TypeEntry, resolvers: MergedTypeResolvers, index: SchemaIndex, what: string): void {
  const known = partsOf(entry).flatMap((at) => membersAt(index, at).map(({ name }) => name));
  const names = new Set(known);
  for (const name of Object.keys(resolvers)) {
    checkSpecial(entry, name);
    if (name.startsWith('__') || names.has(name)) continue;
    throw new Error(
      `resolvers.${entry.name} names ${what} "${name}", which "${entry.kind} ${entry.name}" does not have.${didYouMean(name, known)} It has ${listOf(known)}.`,
    );
  }
}

function checkSpecial({ name: type, kind }: TypeEntry, name: string): void {
  const allowed = special[kind];
  if (!name.startsWith('__') || name === allowed) return;
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
    if (key === 'resolve' || key === 'subscribe') checkFunction(`${path}.${key}`, value ?? noFunction);
  }
}

const fieldOptions: readonly string[] = ['resolve', 'subscribe', 'extensions', 'description', 'deprecationReason'];

/** `{ resolve, subscribe: undefined }` is what spreading an optional subscribe gives: as good as absent. */
function noFunction(): void {}

function resolverHint(kind: string): string {
  if (kind === 'undefined') return ' Is it imported from a module that imports this one?';
  if (kind === 'a promise') return ' Return the promise from a function: () => …';
  return ' For a constant write a function that returns it: () => …';
}
