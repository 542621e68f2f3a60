import { Kind, print, type DefinitionNode, type DirectiveDefinitionNode } from 'graphql';

import { didYouMean, listOf } from './did-you-mean.ts';
import { mergeDefinitions, mergeDirectiveDefinitions } from './merge-definitions.ts';
import { parseDefinition } from './parse-sdl.ts';
import { definitionsIn, membersIn } from './sdl-definitions.ts';
import type { RootNames, SchemaIndex, TypeEntry } from './schema-index.ts';
import type { ScannedDefinition, Span, TypeKind } from './sdl-scanner.ts';

/** Finds every definition in the texts, and merges those of one name. Throws an Error that says what to write. */
export function createSchemaIndex(texts: readonly string[]): SchemaIndex {
  const draft = new Draft(texts);
  const found = group(texts.flatMap((text, number) => definitionsOf(text, number, draft)));
  const directives = [...found.directives.values()].map((parts) => mergedDirective(draft, parts));
  draft.directives = directives;
  const types = [...found.types].map(([name, parts]) => typeEntry(draft, name, parts));
  const schema = mergedSchema(draft, found.schemas);
  const schemaExtensions = found.schemas.filter((part) => part.extends).map(({ at }) => at);
  const roots = rootNames(draft, schema, schemaExtensions, types);
  return { text: draft.text, sources: draft.sources, types, directives, ...(schema && { schema }), schemaExtensions, roots };
}

/** The text as it grows: what merging makes is appended to it, so that everything is a stretch of one text. */
class Draft {
  text: string;
  readonly sources: readonly Span[];
  directives: readonly Span[] = [];

  constructor(texts: readonly string[]) {
    this.text = texts.join('\n');
    let start = 0;
    this.sources = texts.map(({ length }) => {
      const end = start + length;
      const source: Span = [start, end];
      start = end + 1;
      return source;
    });
  }

  append(text: string): Span {
    const start = this.text.length + 1;
    this.text = `${this.text}\n${text}`;
    return [start, this.text.length];
  }

  readonly isRepeatable = (directive: string): boolean =>
    this.directives.some((at) => {
      const node = parseDefinition(this, at) as DirectiveDefinitionNode;
      return node.name.value === directive && node.repeatable;
    });
}

function definitionsOf(text: string, number: number, { sources }: Draft): ScannedDefinition[] {
  const offset = sources[number]?.[0] ?? 0;
  const definitions = definitionsIn(text, number, sources.length);
  if (offset === 0) return definitions;
  return definitions.map((definition) => ({ ...definition, at: [definition.at[0] + offset, definition.at[1] + offset] }));
}

interface Groups {
  readonly types: Map<string, ScannedDefinition[]>;
  readonly directives: Map<string, ScannedDefinition[]>;
  readonly schemas: ScannedDefinition[];
}

function group(definitions: readonly ScannedDefinition[]): Groups {
  const groups: Groups = { types: new Map(), directives: new Map(), schemas: [] };
  for (const definition of definitions) {
    if (definition.kind === 'schema') groups.schemas.push(definition);
    else add(definition.kind === 'directive' ? groups.directives : groups.types, definition);
  }
  return groups;
}

function add(byName: Map<string, ScannedDefinition[]>, definition: ScannedDefinition): void {
  const sameName = byName.get(definition.name);
  if (sameName) sameName.push(definition);
  else byName.set(definition.name, [definition]);
}

function typeEntry(draft: Draft, name: string, parts: readonly ScannedDefinition[]): TypeEntry {
  const definition = parts.find((part) => !part.extends);
  if (definition === undefined) {
    throw new Error(`typeDefs extend the type "${name}", but do not define it. Write "${parts[0]?.kind} ${name}" without "extend" once.`);
  }
  const kind = sameKind(name, definition, parts);
  const interfaces = [...new Set(parts.flatMap((part) => part.interfaces))];
  if (parts.length === 1) return { name, kind, at: definition.at, extensions: [], interfaces: definition.interfaces };
  if (isDisjoint(draft, definition, parts)) {
    // Also a second definition: with nothing but members of its own it means the same as an extension.
    const extensions = parts.filter((part) => part !== definition).map(({ at }) => at);
    return { name, kind, at: definition.at, extensions, interfaces };
  }
  const nodes = parts.map(({ at }) => parseDefinition(draft, at));
  return { name, kind, at: draft.append(print(mergeDefinitions(nodes, draft.isRepeatable))), extensions: [], interfaces };
}

function sameKind(name: string, { kind }: ScannedDefinition, parts: readonly ScannedDefinition[]): TypeKind {
  const other = parts.find((part) => part.kind !== kind);
  if (other) throw new Error(`typeDefs use the name "${name}" for two things: "${kind} ${name}" and "${other.kind} ${name}". Rename one.`);
  return kind as TypeKind;
}

/** Whether the parts can stand side by side: no member twice, and nothing but members in a second definition. */
function isDisjoint(draft: Draft, definition: ScannedDefinition, parts: readonly ScannedDefinition[]): boolean {
  if (parts.some((part) => !part.extends && part !== definition && !part.bare)) return false;
  const names = parts.flatMap(({ at }) => membersIn(draft, at).map(({ name }) => name));
  return new Set(names).size === names.length;
}

function mergedDirective(draft: Draft, parts: readonly ScannedDefinition[]): Span {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first.at;
  const nodes = parts.map(({ at }) => parseDefinition(draft, at) as DirectiveDefinitionNode);
  return draft.append(print(mergeDirectiveDefinitions(nodes)));
}

function mergedSchema(draft: Draft, parts: readonly ScannedDefinition[]): Span | undefined {
  const definitions = parts.filter((part) => !part.extends);
  if (definitions.length < 2) return definitions[0]?.at;
  const nodes = definitions.map(({ at }) => parseDefinition(draft, at));
  return draft.append(print(mergeDefinitions(nodes, draft.isRepeatable)));
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

/** The root types: as a schema definition says, else the types with the usual names (specification, 3.3.1). */
function rootNames(draft: Draft, schema: Span | undefined, extensions: readonly Span[], types: readonly TypeEntry[]): RootNames {
  const byName = new Map(types.map((type) => [type.name, type]));
  const roots: Mutable<RootNames> = {};
  for (const at of schema ? [schema, ...extensions] : extensions) Object.assign(roots, operationTypes(parseDefinition(draft, at)));
  if (schema === undefined) {
    if (byName.has('Query')) roots.query = 'Query';
    if (byName.has('Mutation')) roots.mutation = 'Mutation';
    if (byName.has('Subscription')) roots.subscription = 'Subscription';
  }
  for (const [operation, name] of Object.entries(roots)) assertRoot(operation, name, byName);
  if (roots.query === undefined)
    throw new Error(`typeDefs define no "type Query", where every query starts. They define ${listOf([...byName.keys()])}.`);
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
