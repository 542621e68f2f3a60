import { Kind, parse, print } from 'graphql';
import type { ConstDirectiveNode, ConstValueNode, SchemaDefinitionNode, SchemaExtensionNode } from 'graphql';

import { didYouMean } from '../../shared/index.ts';
import { federation1, federation2, linkDefinitions, newestMinor } from './definitions.ts';
import type { LinkedDefinition } from './definitions.ts';
import { errorAt, textOfSource } from './sources.ts';
import type { Definition } from './sources.ts';

/** The directives and scalars of federation in one schema, by the names that they have there. */
export interface Links {
  /** Federation 2 if the schema has a link to it. */
  readonly version: 1 | 2;
  /** The name of `@key`, without `@`. */
  readonly key: string;
  /** The definitions that the schema does not contain, by local name. The names of directives start with `@`. */
  readonly definitions: ReadonlyMap<string, string>;
  /** The local name of each federation directive that this version has, by its name in the specification. */
  readonly localNames: ReadonlyMap<string, string>;
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
export function readLinks(schemaDefinitions: readonly Definition[]): Links {
  const linkName = localNameOfLink(schemaDefinitions);
  const links = schemaDefinitions.flatMap((owner) => linksOn(owner, linkName));
  const [link, second] = links.filter(({ url }) => specificationOf(url) === 'federation');
  if (second !== undefined)
    throw errorAt(second.owner, second.node, 'Expected one @link to federation, got a second one. Remove one, and join their imports.');
  const own = links.length > 0 ? linkDefinitions.map((one) => written(one, localName(linkName, new Map()))) : [];
  if (link === undefined) {
    const definitions = federation1();
    const localNames = new Map(definitions.flatMap(({ name }) => (name.startsWith('@') ? [[name, name] as const] : [])));
    return {
      version: 1,
      key: 'key',
      definitions: new Map([...own, ...definitions.map((one) => written(one, nameInVersion1))]),
      localNames,
    };
  }
  const definitions = federation2(minorVersion(link));
  const local = localName(link.as ?? 'federation', importsOf(link, definitions));
  const localNames = new Map(Array.from(definitions.keys(), (name) => [name, local(name)]));
  return {
    version: 2,
    key: local('@key').slice(1),
    definitions: new Map([...own, ...Array.from(definitions.values(), (one) => written(one, local))]),
    localNames,
  };
}

function nameInVersion1(name: string): string {
  return name === 'FieldSet' ? '_FieldSet' : name;
}

function written({ name, write }: LinkedDefinition, local: (name: string) => string): readonly [string, string] {
  return [local(name), write(local)];
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

/** `link`, unless a link to the link specification renames it: `@lnk(url: "https://specs.apollo.dev/link/v1.0", as: "lnk")`. */
function localNameOfLink(definitions: readonly Definition[]): string {
  for (const owner of definitions) {
    for (const node of directivesOn(owner)) {
      const name = node.name.value;
      const own = specificationOf(textArgument(node, 'url') ?? '') === 'link';
      if (own && (textArgument(node, 'as') === name || importedAs(node, '@link') === `@${name}`)) return name;
    }
  }
  return 'link';
}

function importedAs(node: ConstDirectiveNode, name: string): string | undefined {
  const list = argument(node, 'import');
  if (list?.kind !== Kind.LIST) return undefined;
  return list.values.map(importOf).find((one) => one?.name === name)?.as;
}

function linksOn(owner: Definition, linkName: string): Link[] {
  return directivesOn(owner).flatMap((node) => {
    const given = node.name.value === linkName ? textArgument(node, 'url') : undefined;
    return given === undefined ? [] : [{ owner, node, url: given, as: textArgument(node, 'as') }];
  });
}

/** Parses `schema` and `extend schema` with the places of their directives. */
function directivesOn(owner: Definition): readonly ConstDirectiveNode[] {
  const text = textOfSource(owner);
  const node = text === undefined ? owner.found.at : parse(text).definitions[0];
  return (node as SchemaDefinitionNode | SchemaExtensionNode).directives ?? [];
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
