import { Kind, print } from 'graphql';
import type { ConstDirectiveNode, ConstValueNode, SchemaDefinitionNode, SchemaExtensionNode } from 'graphql';

import { didYouMean } from '../../shared/index.ts';
import { federation1, federation2, linkDefinitions, newestMinor } from './definitions.ts';
import type { LinkedDefinition } from './definitions.ts';
import { errorAt } from './sources.ts';
import type { Definition } from './sources.ts';

/** `schema` or `extend schema`. */
export interface SchemaPart extends Definition {
  readonly node: SchemaDefinitionNode | SchemaExtensionNode;
}

/** The directives and scalars of federation in one schema, by the names that they have there. */
export interface Links {
  /** The name of `@key`, without `@`. */
  readonly key: string;
  /** The definitions that the schema does not contain, by local name. The names of directives start with `@`. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** A use of `@link` on the schema. */
interface Link {
  readonly owner: Definition;
  readonly node: ConstDirectiveNode;
  readonly url: string;
  readonly as: string | undefined;
}

/**
 * Reads the links of a schema. Throws an Error that names the line for a second link to federation, an unknown version, and imports that
 * the version does not have.
 */
export function readLinks(schemas: readonly SchemaPart[]): Links {
  const uses = schemas.flatMap((owner) => (owner.node.directives ?? []).map((node) => linkOf(owner, node)));
  // `link`, unless a link to the link specification renames it: `@lnk(url: "https://specs.apollo.dev/link/v1.0", as: "lnk")`.
  const renamed = uses.find(({ node, url: given, as }) => specificationOf(given) === 'link' && as === node.name.value);
  const linkName = renamed?.as ?? 'link';
  const links = uses.filter(({ node }) => node.name.value === linkName);
  const [link, second] = links.filter(({ url: given }) => specificationOf(given) === 'federation');
  if (second !== undefined)
    throw errorAt(second.owner, second.node, 'Expected one @link to federation, got a second one. Remove one, and join their imports.');
  const own = links.length > 0 ? written(linkDefinitions, localName(linkName, new Map())) : [];
  if (link === undefined) return { key: 'key', definitions: new Map([...own, ...written(federation1(), nameInVersion1)]) };
  const known = federation2(minorVersion(link));
  const local = localName(link.as ?? 'federation', importsOf(link, known));
  return { key: local('@key').slice(1), definitions: new Map([...own, ...written([...known.values()], local)]) };
}

function nameInVersion1(name: string): string {
  return name === 'FieldSet' ? '_FieldSet' : name;
}

function written(definitions: readonly LinkedDefinition[], local: (name: string) => string): readonly (readonly [string, string])[] {
  return definitions.map(({ name, write }) => [local(name), write(local)]);
}

/** Names in a schema: imported ones as imported, all others with the prefix of their link. */
function localName(prefix: string, imports: ReadonlyMap<string, string>): (name: string) => string {
  return (name) => {
    if (name === '@link') return `@${prefix}`;
    return imports.get(name) ?? (name.startsWith('@') ? `@${prefix}__${name.slice(1)}` : `${prefix}__${name}`);
  };
}

const url = /^https:\/\/specs\.apollo\.dev\/(\w+)(?:\/|$)/;

/** `federation`, `link`; undefined for specifications of others. */
function specificationOf(given: string): string | undefined {
  return url.exec(given)?.[1];
}

function linkOf(owner: Definition, node: ConstDirectiveNode): Link {
  return { owner, node, url: textArgument(node, 'url') ?? '', as: textArgument(node, 'as') };
}

function argument(node: ConstDirectiveNode, name: string): ConstValueNode | undefined {
  return node.arguments?.find((one) => one.name.value === name)?.value;
}

function textArgument(node: ConstDirectiveNode, name: string): string | undefined {
  const value = argument(node, name);
  return value?.kind === Kind.STRING ? value.value : undefined;
}

function minorVersion({ owner, node, url: given }: Link): number {
  const minor = /\/v2\.(\d{1,3})$/.exec(given)?.[1];
  if (minor !== undefined && Number(minor) <= newestMinor) return Number(minor);
  throw errorAt(
    owner,
    node,
    `Expected the @link to federation to have a version from https://specs.apollo.dev/federation/v2.0 to …/v2.${newestMinor}, got "${given}".`,
  );
}

interface Import {
  readonly name: string;
  readonly as: string;
}

/** Local names by their names in the specification. */
function importsOf({ owner, node, url: given }: Link, definitions: ReadonlyMap<string, LinkedDefinition>): Map<string, string> {
  const list = argument(node, 'import');
  if (list === undefined || list.kind === Kind.NULL) return new Map();
  if (list.kind !== Kind.LIST) throw errorAt(owner, list, `Expected import to be a list, such as ["@key"], got ${print(list)}.`);
  const imports = new Map<string, string>();
  for (const value of list.values) {
    const found = importOf(value);
    if (found === undefined)
      throw errorAt(
        owner,
        value,
        `Expected an import such as "@key", or { name: "@key", as: "@id" } with "@" in both names or in none, got ${print(value)}.`,
      );
    if (!definitions.has(found.name)) {
      const version = given.slice(given.lastIndexOf('/') + 1);
      const hint = federation2(newestMinor).has(found.name) ? ' A later version has it.' : didYouMean(found.name, definitions.keys());
      throw errorAt(owner, value, `Expected the name of a directive or scalar of federation ${version}, got "${found.name}".${hint}`);
    }
    imports.set(found.name, found.as);
  }
  return imports;
}

/** Undefined if this is not an import. */
function importOf(value: ConstValueNode): Import | undefined {
  if (value.kind === Kind.STRING) return { name: value.value, as: value.value };
  if (value.kind !== Kind.OBJECT) return undefined;
  const texts = new Map(value.fields.map((field) => [field.name.value, field.value.kind === Kind.STRING ? field.value.value : undefined]));
  const name = texts.get('name');
  const as = texts.has('as') ? texts.get('as') : name;
  const known = [...texts.keys()].every((key) => key === 'name' || key === 'as');
  if (name === undefined || as === undefined || !known || name.startsWith('@') !== as.startsWith('@')) return undefined;
  return { name, as };
}
