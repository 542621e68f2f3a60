import { isSpecifiedDirective, Kind } from 'graphql';
import type { DefinitionNode, DirectiveDefinitionNode, DirectiveExtensionNode, DocumentNode, GraphQLDirective } from 'graphql';

import { didYouMean, listOf } from '../../../shared/index.ts';
import { parseDefinition } from './parse-sdl.ts';
import type { IndexedText } from './parse-sdl.ts';
import type { DefinitionLocation, FoundDefinition, Span, TypeKind } from './location.ts';
import type { RootNames, SchemaIndex, TypeEntry } from './schema-index.ts';
import { definitionsIn, definitionsOf, membersAt } from './sdl-definitions.ts';

/** Finds all definitions in texts and documents. A second definition of a type is an extension. Throws an Error that says what to write. */
export function createSchemaIndex(typeDefs: readonly (string | DocumentNode)[]): SchemaIndex {
  const indexed = joinTexts(typeDefs);
  const found = group(typeDefs.flatMap((source, number) => findDefinitions(source, number, indexed)));
  const directiveExtensions = found.directiveExtensions.map((part) => extensionPlace(part, found.directives));
  const { types } = found;
  for (const [name, parts] of found.several) types.set(name, typeEntry(indexed, name, parts));
  const directives = [...found.directives.values()].map(({ at }) => at as DefinitionLocation<DirectiveDefinitionNode>);
  const definition = found.schemas.find((part) => !part.extends);
  const schema = definition?.at;
  const schemaExtensions = found.schemas.filter((part) => part !== definition).map(({ at }) => at);
  const roots = rootNames(indexed, types, { schema, schemaExtensions });
  return { ...indexed, types, directives, directiveExtensions, ...(schema && { schema }), schemaExtensions, roots };
}

/** Joins all texts, so that a location is a pair of numbers. */
function joinTexts(typeDefs: readonly (string | DocumentNode)[]): IndexedText {
  const texts = typeDefs.map((source) => (typeof source === 'string' ? source : ''));
  let start = 0;
  const sources = texts.map(({ length }): Span => {
    const end = start + length;
    const source: Span = [start, end];
    start = end + 1;
    return source;
  });
  return { text: texts.join('\n'), sources };
}

function findDefinitions(source: string | DocumentNode, number: number, { sources }: IndexedText): readonly FoundDefinition[] {
  if (typeof source !== 'string') return definitionsOf(source);
  return definitionsIn(source, { number, count: sources.length, offset: sources[number]?.[0] ?? 0 });
}

interface Groups {
  /** The first definition of each type. */
  readonly types: Map<string, TypeEntry>;
  /** Every part, in order, of the types that have several. */
  readonly several: Map<string, FoundDefinition[]>;
  readonly directives: Map<string, FoundDefinition>;
  readonly directiveExtensions: FoundDefinition[];
  readonly schemas: FoundDefinition[];
}

function group(definitions: readonly FoundDefinition[]): Groups {
  const groups: Groups = { types: new Map(), several: new Map(), directives: new Map(), directiveExtensions: [], schemas: [] };
  const { types, several } = groups;
  // Types keep the order of the definitions, as in graphql-js, even if an extension comes before its type.
  for (const definition of definitions) {
    const { kind, name } = definition;
    if (kind === 'schema') groups.schemas.push(definition);
    else if (kind === 'directive' && definition.extends) groups.directiveExtensions.push(definition);
    else if (kind === 'directive') addDirective(groups.directives, definition);
    else if (definition.extends || types.has(name)) several.set(name, []);
    else types.set(name, soleEntry(definition));
  }
  if (several.size > 0) for (const definition of definitions) if (isPartOfType(definition)) several.get(definition.name)?.push(definition);
  return groups;
}

function isPartOfType({ kind }: FoundDefinition): boolean {
  return kind !== 'schema' && kind !== 'directive';
}

/** The scanner's definitions already have the form of entries. */
function soleEntry(definition: FoundDefinition): TypeEntry {
  if ('extensions' in definition) return definition as FoundDefinition & TypeEntry;
  const { name, kind, at, interfaces } = definition;
  return { name, kind: kind as TypeKind, at, extensions: [], interfaces };
}

function addDirective(directives: Map<string, FoundDefinition>, definition: FoundDefinition): void {
  const { name } = definition;
  if (directives.has(name)) throw new Error(`typeDefs define the directive "@${name}" twice. Define it once.`);
  directives.set(name, definition);
}

function typeEntry(indexed: IndexedText, name: string, parts: readonly FoundDefinition[]): TypeEntry {
  const definition = parts.find((part) => !part.extends);
  if (definition === undefined) {
    throw new Error(`typeDefs extend the type "${name}", but do not define it. Write "${parts[0]?.kind} ${name}" without "extend" once.`);
  }
  const kind = sameKind(name, definition, parts);
  const members = new Set<string>();
  for (const member of parts.flatMap(({ at }) => membersAt(indexed, at))) {
    if (members.has(member.name)) throw new Error(`typeDefs define ${name}.${member.name} twice. Define it once.`);
    members.add(member.name);
  }
  const extensions = parts.filter((part) => part !== definition).map(({ at }) => at);
  return { name, kind, at: definition.at, extensions, interfaces: [...new Set(parts.flatMap((part) => part.interfaces))] };
}

function sameKind(name: string, { kind }: FoundDefinition, parts: readonly FoundDefinition[]): TypeKind {
  const other = parts.find((part) => part.kind !== kind);
  if (other) throw new Error(`typeDefs use the name "${name}" for two things: "${kind} ${name}" and "${other.kind} ${name}". Rename one.`);
  return kind as TypeKind;
}

/** Throws if the directive is defined neither by the typeDefs nor by the specification. */
function extensionPlace({ name, at }: FoundDefinition, defined: Groups['directives']): DefinitionLocation<DirectiveExtensionNode> {
  if (defined.has(name) || isSpecifiedDirective({ name } as GraphQLDirective)) return at as DefinitionLocation<DirectiveExtensionNode>;
  throw new Error(`typeDefs extend the directive "@${name}", but do not define it.${didYouMean(name, defined.keys())}`);
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

interface SchemaDefinitions {
  readonly schema: DefinitionLocation | undefined;
  readonly schemaExtensions: readonly DefinitionLocation[];
}

/** The root types of the schema definition, else the types with the default names (specification, 3.3.1). */
function rootNames(
  indexed: IndexedText,
  types: ReadonlyMap<string, TypeEntry>,
  { schema, schemaExtensions }: SchemaDefinitions,
): RootNames {
  const roots: Mutable<RootNames> = {};
  for (const at of schema ? [schema, ...schemaExtensions] : schemaExtensions)
    Object.assign(roots, operationTypes(parseDefinition(indexed, at)));
  if (schema === undefined) {
    if (types.has('Query')) roots.query = 'Query';
    if (types.has('Mutation')) roots.mutation = 'Mutation';
    if (types.has('Subscription')) roots.subscription = 'Subscription';
  }
  for (const [operation, name] of Object.entries(roots)) assertRoot(operation, name, types);
  if (roots.query === undefined)
    throw new Error(`typeDefs define no "type Query", where every query starts. They define ${listOf([...types.keys()])}.`);
  return roots;
}

function operationTypes(node: DefinitionNode): RootNames {
  if (node.kind !== Kind.SCHEMA_DEFINITION && node.kind !== Kind.SCHEMA_EXTENSION) return {};
  return Object.fromEntries((node.operationTypes ?? []).map(({ operation, type }) => [operation, type.name.value]));
}

function assertRoot(operation: string, name: string, types: ReadonlyMap<string, TypeEntry>): void {
  const kind = types.get(name)?.kind;
  if (kind === 'type') return;
  if (kind !== undefined)
    throw new Error(`The ${operation} root "${name}" is defined as "${kind} ${name}"; it must be an object type, "type ${name}".`);
  throw new Error(
    `The schema definition names "${name}" as its ${operation} root, but typeDefs do not define it.${didYouMean(name, types.keys())}`,
  );
}
