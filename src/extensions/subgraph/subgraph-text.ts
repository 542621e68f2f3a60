import { Lexer, parse, Source, TokenKind } from 'graphql';

import { definitionsIn } from '../../executor/schema/index.ts';
import type { FoundDefinition } from '../../executor/schema/index.ts';
import { readLinks } from './links.ts';
import type { SchemaNode } from './links.ts';

/** The text that a subgraph adds to the author's schema. */
export interface SubgraphText {
  /** Definitions: those that the author's text needs, `_Service`, `_Any`, `_Entity`, and the fields of the query root. */
  readonly added: string;
  readonly queryRoot: string;
  readonly hasEntities: boolean;
}

/** Creates the part of the schema that makes it a subgraph (Apollo's "Subgraph specification"). Throws for links that no router understands. */
export function subgraphText(sdl: string): SubgraphText {
  const definitions = definitionsIn(sdl, { number: 0, count: 1, offset: 0 });
  const schemas = definitions.flatMap(({ kind, at }) =>
    kind === 'schema' ? (('kind' in at ? at : parse(sdl.slice(...at)).definitions[0]!) as SchemaNode) : [],
  );
  const links = readLinks(schemas);
  /** The names of types and directives that the author defines. Those of directives start with `@`. */
  const defined = new Set(definitions.flatMap(({ kind, name, extends: isExtension }) => (isExtension ? [] : nameIn(kind, name))));
  const added = Array.from(links.definitions, ([name, text]) => (defined.has(name) ? [] : [text])).flat();
  for (const { kind, name, extends: isExtension } of definitions)
    if (isExtension && kind !== 'schema' && kind !== 'directive' && !defined.has(name)) {
      // A type that is only extended belongs to another subgraph, and counts as defined.
      defined.add(name);
      added.push(`${kind} ${name}`);
    }
  const queryRoot = nameOfQueryRoot(schemas, defined.has('schema'));
  if (queryRoot === undefined) added.push('extend schema { query: Query }');
  const root = queryRoot ?? 'Query';
  if (!defined.has(root)) added.push(`type ${root}`);
  const entities = entitiesIn(sdl, definitions, links.key);
  added.push('type _Service { sdl: String }', 'scalar _Any');
  if (entities.length > 0) added.push(`union _Entity = ${entities.join(' | ')}`);
  const fields = entities.length > 0 ? '_service: _Service! _entities(representations: [_Any!]!): [_Entity]!' : '_service: _Service!';
  added.push(`extend type ${root} { ${fields} }`);
  return { added: added.join('\n'), queryRoot: root, hasEntities: entities.length > 0 };
}

function nameIn(kind: FoundDefinition['kind'], name: string): string {
  return kind === 'schema' ? kind : kind === 'directive' ? `@${name}` : name;
}

/** Returns the name of the query root; undefined if there is a `schema` definition without one. */
function nameOfQueryRoot(schemas: readonly SchemaNode[], isDefined: boolean): string | undefined {
  const query = schemas.flatMap(({ operationTypes = [] }) => operationTypes).find(({ operation }) => (operation as string) === 'query');
  return query?.type.name.value ?? (isDefined ? undefined : 'Query');
}

/** Object types with `@key`, and those that implement an interface with `@key`, whatever `resolvable` says. */
function entitiesIn(sdl: string, definitions: readonly FoundDefinition[], key: string): string[] {
  const keyed = new Set(definitions.flatMap((one) => (hasDirective(sdl, one, key) ? [one.name] : [])));
  const entities = definitions.filter(
    ({ kind, name, interfaces }) => kind === 'type' && (keyed.has(name) || interfaces.some((one) => keyed.has(one))),
  );
  return [...new Set(entities.map(({ name }) => name))];
}

/**
 * True if the definition itself has the directive; its fields do not count. Compares tokens: parsing 200 types took a cold process 5 ms.
 */
function hasDirective(sdl: string, { at }: FoundDefinition, name: string): boolean {
  if ('kind' in at) return 'directives' in at && at.directives?.some((directive) => directive.name.value === name) === true;
  const text = sdl.slice(...at);
  if (!text.includes(name)) return false;
  const lexer = new Lexer(new Source(text));
  let parentheses = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (token.kind === TokenKind.PAREN_L) parentheses++;
    if (token.kind === TokenKind.PAREN_R) parentheses--;
    if (token.kind === TokenKind.BRACE_L && parentheses === 0) return false;
    if (token.kind === TokenKind.AT && lexer.lookahead().value === name) return true;
  }
  return false;
}
