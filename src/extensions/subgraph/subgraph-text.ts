import { print } from 'graphql';
import type { DocumentNode } from 'graphql';

import { readLinks } from './links.ts';
import type { SchemaPart } from './links.ts';
import { findDefinitions, hasDirective, nodeOf } from './sources.ts';
import type { Definition } from './sources.ts';

/** What a subgraph adds to the author's schema. */
export interface SubgraphText {
  /** Definitions: those that the author's text needs, `_Service`, `_Any`, `_Entity`, and the fields of the query root. */
  readonly added: string;
  readonly queryRoot: string;
  readonly hasEntities: boolean;
}

/**
 * Creates the part of the schema that makes it a subgraph (Apollo's "Subgraph specification"). Throws an Error that names the line for
 * links that no router understands.
 */
export function subgraphText(sources: readonly (string | DocumentNode)[]): SubgraphText {
  const definitions = findDefinitions(sources);
  const schemas = definitions.flatMap((one) => (one.found.kind === 'schema' ? [{ ...one, node: nodeOf(one) as SchemaPart['node'] }] : []));
  const links = readLinks(schemas);
  const defined = namesIn(definitions);
  const added = Array.from(links.definitions, ([name, text]) => (defined.has(name) ? [] : [text])).flat();
  for (const { found } of definitions)
    if (found.extends && found.kind !== 'schema' && found.kind !== 'directive' && !defined.has(found.name)) {
      // A type that is only extended belongs to another subgraph, and counts as defined.
      defined.add(found.name);
      added.push(`${found.kind} ${found.name}`);
    }
  const queryRoot = nameOfQueryRoot(schemas);
  if (queryRoot === undefined) added.push('extend schema { query: Query }');
  const root = queryRoot ?? 'Query';
  if (!defined.has(root)) added.push(`type ${root}`);
  const entities = entitiesIn(definitions, links.key);
  added.push('type _Service { sdl: String }', 'scalar _Any');
  if (entities.length > 0) added.push(`union _Entity = ${entities.join(' | ')}`);
  const fields = entities.length > 0 ? '_service: _Service! _entities(representations: [_Any!]!): [_Entity]!' : '_service: _Service!';
  added.push(`extend type ${root} { ${fields} }`);
  return { added: added.join('\n'), queryRoot: root, hasEntities: entities.length > 0 };
}

/** The answer of `_service`: text as it was given, documents printed. */
export function textOf(sources: readonly (string | DocumentNode)[]): string {
  return sources.map((source) => (typeof source === 'string' ? source : print(source))).join('\n');
}

/** The names of types and directives that the author defines. Those of directives start with `@`. */
function namesIn(definitions: readonly Definition[]): Set<string> {
  const names = new Set<string>();
  for (const { found } of definitions) {
    if (!found.extends && found.kind !== 'schema') names.add(found.kind === 'directive' ? `@${found.name}` : found.name);
  }
  return names;
}

/** Undefined if there is a `schema` definition without a query root. */
function nameOfQueryRoot(schemas: readonly SchemaPart[]): string | undefined {
  for (const { node } of schemas) {
    const query = node.operationTypes?.find(({ operation }) => (operation as string) === 'query');
    if (query !== undefined) return query.type.name.value;
  }
  return schemas.some(({ found }) => !found.extends) ? undefined : 'Query';
}

/** Object types with `@key`, and those that implement an interface with `@key`, whatever `resolvable` says. */
function entitiesIn(definitions: readonly Definition[], key: string): string[] {
  const keyed = new Set(definitions.flatMap((one) => (hasDirective(one, key) ? [one.found.name] : [])));
  const entities = new Set<string>();
  for (const { found } of definitions) {
    if (found.kind === 'type' && (keyed.has(found.name) || found.interfaces.some((name) => keyed.has(name)))) entities.add(found.name);
  }
  return [...entities];
}
