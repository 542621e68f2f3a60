import { parse, print, specifiedDirectives } from 'graphql';
import type { DocumentNode, SchemaExtensionNode } from 'graphql';

import { readLinks } from './links.ts';
import type { Links } from './links.ts';
import { findDefinitions, findUnknownDirective, hasDirective, textOfSource } from './sources.ts';
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
 * links that no router understands, and for directives that nothing defines.
 */
export function subgraphText(sources: readonly (string | DocumentNode)[]): SubgraphText {
  const definitions = findDefinitions(sources);
  const schemas = definitions.filter(({ found }) => found.kind === 'schema');
  const links = readLinks(schemas);
  const defined = namesIn(definitions);
  assertKnownDirectives(definitions, defined, links);
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

function assertKnownDirectives(definitions: readonly Definition[], defined: ReadonlySet<string>, links: Links): void {
  const standard = new Set(specifiedDirectives.map(({ name }) => `@${name}`));
  const isKnown = (name: string): boolean => {
    const directive = `@${name}`;
    return defined.has(directive) || links.definitions.has(directive) || standard.has(directive);
  };
  const unknown = findUnknownDirective(definitions, isKnown);
  if (unknown === undefined) return;
  const local = links.localNames.get(`@${unknown.name}`);
  const hint =
    links.version === 1
      ? ' Directives of federation 2 need a link: extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"]).'
      : local === undefined
        ? ''
        : ` The link to federation does not import it: add "@${unknown.name}" to its imports, or write ${local}.`;
  throw new Error(`typeDefs use the directive "@${unknown.name}", but do not define it.${hint}${unknown.place}`);
}

/** Undefined if there is a `schema` definition without a query root. */
function nameOfQueryRoot(schemas: readonly Definition[]): string | undefined {
  for (const definition of schemas) {
    const text = textOfSource(definition);
    const node = text === undefined ? definition.found.at : parse(text, { noLocation: true }).definitions[0];
    const { operationTypes } = node as SchemaExtensionNode;
    const query = operationTypes?.find(({ operation }) => (operation as string) === 'query');
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
