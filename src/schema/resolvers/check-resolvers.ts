import { didYouMean, listOf } from '../../message/did-you-mean.ts';
import { describeValue } from './merge-resolvers.ts';
import type { MergedResolvers, MergedTypeResolvers } from './merge-resolvers.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { SchemaIndex, TypeEntry } from '../sdl/schema-index.ts';
import { membersAt } from '../sdl/sdl-definitions.ts';
import type { TypeKind } from '../sdl/location.ts';

/**
 * Throws an Error for a resolver that could never run: one for a type or a field that typeDefs do not
 * define, or one that is not a function.
 */
export function checkResolvers(resolvers: MergedResolvers, index: SchemaIndex): void {
  checkTypeNames(resolvers, index);
  for (const name of resolvers.names()) {
    checkTypeResolvers({ entry: index.types.get(name)!, resolvers: resolvers.get(name)!, index });
  }
}

/** The check of resolvers at every start: a type that is not defined could never be touched. */
export function checkTypeNames(resolvers: MergedResolvers, index: SchemaIndex): void {
  const { types } = index;
  for (const name of resolvers.names()) {
    if (builtIn.has(name))
      throw new Error(`resolvers.${name} would change the built-in scalar "${name}". Define a scalar with a name of its own.`);
    if (!types.has(name)) throw new Error(unknownType(name, index));
  }
}

const builtIn: ReadonlySet<string> = /* @__PURE__ */ new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);

/** One type and its resolvers. */
export interface ResolversToCheck {
  readonly entry: TypeEntry;
  readonly resolvers: MergedTypeResolvers;
  readonly index: SchemaIndex;
  /** The names of its fields or values, where they are at hand. Default: looked for in the text. */
  readonly members?: { has(name: string): boolean };
}

/** The check when a type is first touched, or at the start where the whole schema is checked. */
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

/** The keys of a type's resolvers that are not fields. */
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

/** A resolver that is written where its type should be: resolvers have one more level than fields. */
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
    // Nearly every one, and Query has 2,000 of them in a schema of 3,000 types.
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
      throw new Error(`resolvers.${entry.name}.${name} takes the value that "${name}" has inside the server, got a function.`);
  }
}

function checkInput({ entry: { name }, resolvers }: ResolversToCheck): void {
  if ([...resolvers.names()].length === 0) return;
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
  // graphql 17's names.
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
