import { GraphQLSchema, Kind, validateSchema } from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLError } from 'graphql';

import { messageOf } from '../../message/describe.ts';
import { checkResolvers } from '../../schema/resolvers/check-resolvers.ts';
import { createSchemaIndex } from '../../schema/sdl/create-index.ts';
import { LazySchema } from '../../schema/lazy/lazy-schema.ts';
import { isScalarType, mergeResolvers } from '../../schema/resolvers/merge-resolvers.ts';
import { isParsed } from '../../schema/sdl/location.ts';
import { partsOf } from '../../schema/sdl/schema-index.ts';
import type { SchemaIndex } from '../../schema/sdl/schema-index.ts';
import { sourcesOf } from '../../schema/sdl/type-defs.ts';
import { checkDefinitions } from './check-definitions.ts';
import type { Finding } from './parse-tolerantly.ts';
import { parseTolerantly } from './parse-tolerantly.ts';

/**
 * Everything that is wrong with typeDefs and resolvers, where createHandler stops at the first. It looks with the
 * server's own code, piece by piece, so that both are of one mind; and what is unknown because of another mistake is left out.
 */
export function findInSchema(typeDefs: unknown, resolvers: unknown): Finding[] {
  const [sources, refusal] = attempt(() => sourcesOf(typeDefs));
  if (sources === undefined) return [refusal];
  const parsed = parseTolerantly(sources);
  const inText = findInDocuments(parsed.documents);
  const index = inText.index;
  const inResolvers = index === undefined ? [] : findInResolvers(resolvers, index);
  const others = [...inText.findings, ...inResolvers].filter(({ message }) => !parsed.skipped.some((name) => mentions(message, name)));
  return [...parsed.findings, ...others];
}

interface Inspected {
  readonly findings: readonly Finding[];
  readonly index: SchemaIndex | undefined;
}

function findInDocuments(documents: readonly DocumentNode[]): Inspected {
  const [index, refusal] = attempt(() => createSchemaIndex(documents));
  const definitions = index === undefined ? documents.flatMap((document) => document.definitions) : definitionsOf(index);
  const { errors, unknown } = checkDefinitions(definitions);
  const findings = errors.map(toFinding);
  if (index === undefined) return { index, findings: [...findings, { ...refusal, sdl: placeOfNames(refusal.message, definitions) }] };
  // Types that are not there are stood in for, so that what else is wrong can be seen.
  const complete =
    unknown.length === 0 ? index : createSchemaIndex([...documents, { kind: Kind.DOCUMENT, definitions: unknown.map(scalar) }]);
  const more = findInTypes(complete).filter(({ message }) => !unknown.some((name) => mentions(message, name)));
  return { index, findings: [...findings, ...more] };
}

function findInTypes(index: SchemaIndex): Finding[] {
  const [errors, refusal] = attempt(() => validateSchema(new GraphQLSchema(new LazySchema(index, new Map()).toConfig())));
  return errors === undefined ? [refusal] : errors.map(toFinding);
}

/** Each resolver by itself, as the server would check it. */
function findInResolvers(resolvers: unknown, index: SchemaIndex): Finding[] {
  const maps = Array.isArray(resolvers) ? resolvers.flat(Number.POSITIVE_INFINITY) : [resolvers ?? {}];
  return maps.flatMap((map: unknown) => {
    const [, refusal] = attempt(() => checkResolvers(mergeResolvers(map), index));
    if (refusal === undefined) return [];
    if (typeof map !== 'object' || map === null) return [refusal];
    const findings = Object.entries(map).flatMap(([type, ofType]) => findInType(type, ofType, index));
    return findings.length > 0 ? findings : [refusal];
  });
}

function findInType(type: string, resolvers: unknown, index: SchemaIndex): Finding[] {
  const [, refusal] = attempt(() => checkResolvers(mergeResolvers({ [type]: resolvers }), index));
  if (refusal === undefined) return [];
  const whole = { ...refusal, resolver: [type] };
  // An unknown type is unknown once, however many fields it has.
  const [, unknownType] = attempt(() => checkResolvers(mergeResolvers({ [type]: {} }), index));
  if (unknownType !== undefined || typeof resolvers !== 'object' || resolvers === null || isScalarType(resolvers)) return [whole];
  const findings = Object.entries(resolvers).flatMap(([field, resolver]) => {
    const [, wrong] = attempt(() => checkResolvers(mergeResolvers({ [type]: { [field]: resolver } }), index));
    return wrong === undefined ? [] : [{ ...wrong, resolver: [type, field] }];
  });
  return findings.length > 0 ? findings : [whole];
}

/** The result of a check that throws for a mistake of the user's, or that mistake. */
function attempt<T>(work: () => T): readonly [result: T, refusal: undefined] | readonly [result: undefined, refusal: Finding] {
  try {
    return [work(), undefined];
  } catch (error) {
    return [undefined, { message: messageOf(error) }];
  }
}

function definitionsOf({ types, directives, schema, schemaExtensions }: SchemaIndex): DefinitionNode[] {
  const places = [
    ...(schema === undefined ? [] : [schema]),
    ...schemaExtensions,
    ...Array.from(types.values(), partsOf).flat(),
    ...directives,
  ];
  return places.filter((place): place is DefinitionNode => isParsed(place));
}

function toFinding({ message, nodes = [] }: GraphQLError): Finding {
  // Of an interface and the type that implements it, the type is to be mended, and named second.
  const node = (message.startsWith('Interface ') ? nodes[1] : undefined) ?? nodes[0];
  return { message, sdl: node?.loc && { text: node.loc.source.body, offset: node.loc.start } };
}

/** Messages of the server's own name definitions in quotes, and have no place. */
function placeOfNames(message: string, definitions: readonly DefinitionNode[]): Finding['sdl'] {
  const names = [...message.matchAll(/(?:"(?:\w+ )?|\bdefine )(\w+)(?:[".])/g)].map(([, name]) => name);
  const named = definitions.findLast((definition) => 'name' in definition && names.includes(definition.name?.value));
  return named?.loc && { text: named.loc.source.body, offset: named.loc.start };
}

function mentions(message: string, name: string): boolean {
  return new RegExp(String.raw`\b${name}\b`).test(message);
}

function scalar(name: string): DefinitionNode {
  return { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: name } };
}
