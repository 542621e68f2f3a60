import { valueFromASTUntyped } from 'graphql';
import type { ConstDirectiveNode, SchemaDefinitionNode, SchemaExtensionNode } from 'graphql';

import { federation1, federation2, linkDefinitions, newestMinor } from './definitions.ts';
import type { LinkedDefinition } from './definitions.ts';

/** `schema` or `extend schema`. */
export type SchemaNode = SchemaDefinitionNode | SchemaExtensionNode;

/** The directives and scalars of federation in one schema, by the names that they have there. */
export interface Links {
  /** The name of `@key`, without `@`. */
  readonly key: string;
  /** The definitions that the schema may not contain, by local name. The names of directives start with `@`. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** A directive on the schema that may be `@link` under another name. */
interface Link {
  readonly name: string;
  readonly url?: unknown;
  readonly as?: string;
  /** The imported names, each with its name in this schema if that differs. */
  readonly import?: readonly (string | { readonly name: string; readonly as?: string })[] | null;
}

/**
 * The names that a link to federation gives: of the imported definitions, in the specification and in the schema, and the prefix of all
 * others.
 */
export interface FederationNames {
  readonly prefix: string;
  readonly imports: readonly (readonly [name: string, local: string])[];
}

/**
 * The names that the links to federation give in a schema, and those that links give to a directive with its own specification:
 * `@link(url: "https://specs.apollo.dev/policy/v0.1", as: "rule")`. Names of directives start with `@`.
 */
export function federationNames(schemas: readonly SchemaNode[]): readonly FederationNames[] {
  const { links, federation } = linksIn(schemas);
  const own = links.flatMap((link) => (link.as === undefined || federation.includes(link) ? [] : [{ ...link, as: link.as }]));
  return [
    ...federation.map(namesOf),
    ...own.map(({ url, as }): FederationNames => ({ prefix: as, imports: [[`@${specificationOf(url)}`, `@${as}`]] })),
  ];
}

/** Reads the links of a schema. Throws an Error for a second link to federation, and for a version that is not known. */
export function readLinks(schemas: readonly SchemaNode[]): Links {
  const { linkName, links, federation } = linksIn(schemas);
  const [link, second] = federation;
  if (second !== undefined)
    throw new Error(
      `Expected one @link to federation, got "${String(link!.url)}" and "${String(second.url)}". Remove one, and join their imports.`,
    );
  const own = links.length > 0 ? written(linkDefinitions, localName(linkName, new Map())) : [];
  if (link === undefined) {
    const ofVersion1 = written(federation1(), (name) => (name === 'FieldSet' ? '_FieldSet' : name));
    return { key: 'key', definitions: new Map([...own, ...ofVersion1]) };
  }
  const { prefix, imports } = namesOf(link);
  const local = localName(prefix, new Map(imports));
  const known = federation2(minorVersion(String(link.url)));
  return { key: local('@key').slice(1), definitions: new Map([...own, ...written([...known.values()], local)]) };
}

/** All links of a schema, and among them those to federation. */
function linksIn(schemas: readonly SchemaNode[]) {
  const uses = schemas.flatMap(({ directives = [] }) => directives.map(linkOf));
  // `link`, unless a link to the link specification renames it: `@lnk(url: "https://specs.apollo.dev/link/v1.0", as: "lnk")`.
  const linkName = uses.find(({ name, url, as }) => specificationOf(url) === 'link' && as === name)?.name ?? 'link';
  const links = uses.filter(({ name }) => name === linkName);
  return { linkName, links, federation: links.filter(({ url }) => specificationOf(url) === 'federation') };
}

function namesOf({ as: prefix = 'federation', import: given }: Link): FederationNames {
  const imports = [given ?? []].flat().map((one) => (typeof one === 'string' ? { name: one } : one));
  return { prefix, imports: imports.map(({ name, as = name }) => [name, as]) };
}

function linkOf({ name, arguments: given = [] }: ConstDirectiveNode): Link {
  return { ...Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)])), name: name.value };
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

/** Returns the name of Apollo's specification, such as `federation` or `link`; undefined for any other specification. */
function specificationOf(url: unknown): string | undefined {
  return /^https:\/\/specs\.apollo\.dev\/(\w+)(?:\/|$)/.exec(String(url))?.[1];
}

function minorVersion(url: string): number {
  const minor = Number(/\/v2\.(\d{1,3})$/.exec(url)?.[1] ?? Infinity);
  if (minor <= newestMinor) return minor;
  throw new Error(
    `Expected the @link to federation to have a version from https://specs.apollo.dev/federation/v2.0 to …/v2.${newestMinor}, got "${url}".`,
  );
}
