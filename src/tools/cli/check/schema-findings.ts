import { GraphQLSchema, Kind, validateSchema } from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLError } from 'graphql';

import { messageOf } from '../../../shared/index.ts';
import {
  LazySchema,
  checkResolvers,
  createSchemaIndex,
  isParsed,
  isScalarType,
  MergedResolvers,
  partsOf,
  sourcesOf,
} from '../../../executor/schema/index.ts';
import type { SchemaIndex } from '../../../executor/schema/index.ts';
import { checkDefinitions } from './check-definitions.ts';
import type { Finding } from './parse-tolerantly.ts';
import { parseTolerantly } from './parse-tolerantly.ts';

/**
 * Finds all problems in typeDefs and resolvers, where createHandler stops at the first. It runs the server's checks on
 * each part separately, so that both agree. Problems that only follow from another mistake are omitted.
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
  // Replaces unknown types with scalars, so that other problems are found too.
  const complete =
    unknown.length === 0 ? index : createSchemaIndex([...documents, { kind: Kind.DOCUMENT, definitions: unknown.map(scalar) }]);
  const more = findInTypes(complete).filter(({ message }) => !unknown.some((name) => mentions(message, name)));
  return { index, findings: [...findings, ...more] };
}

function findInTypes(index: SchemaIndex): Finding[] {
  const [errors, refusal] = attempt(() => validateSchema(new GraphQLSchema(new LazySchema(index, new Map()).toConfig())));
  return errors === undefined ? [refusal] : errors.map(toFinding);
}

/** Runs the server's check on each resolver separately. */
function findInResolvers(resolvers: unknown, index: SchemaIndex): Finding[] {
  const maps = Array.isArray(resolvers) ? resolvers.flat(Number.POSITIVE_INFINITY) : [resolvers ?? {}];
  return maps.flatMap((map: unknown) => {
    const [, refusal] = attempt(() => checkResolvers(new MergedResolvers(map), index));
    if (refusal === undefined) return [];
    if (typeof map !== 'object' || map === null) return [refusal];
    const findings = Object.entries(map).flatMap(([type, ofType]) => findInType(type, ofType, index));
    return findings.length > 0 ? findings : [refusal];
  });
}

function findInType(type: string, resolvers: unknown, index: SchemaIndex): Finding[] {
  const [, refusal] = attempt(() => checkResolvers(new MergedResolvers({ [type]: resolvers }), index));
  if (refusal === undefined) return [];
  const whole = { ...refusal, resolver: [type] };
  // Reports an unknown type once, not for each of its fields.
  const [, unknownType] = attempt(() => checkResolvers(new MergedResolvers({ [type]: {} }), index));
  if (unknownType !== undefined || typeof resolvers !== 'object' || resolvers === null || isScalarType(resolvers)) return [whole];
  const findings = Object.entries(resolvers).flatMap(([field, resolver]) => {
    const [, wrong] = attempt(() => checkResolvers(new MergedResolvers({ [type]: { [field]: resolver } }), index));
    return wrong === undefined ? [] : [{ ...wrong, resolver: [type, field] }];
  });
  return findings.length > 0 ? findings : [whole];
}

/** The result of a check, or the user's mistake that it threw. */
function attempt<T>(work: () => T): readonly [result: T, refusal: undefined] | readonly [result: undefined, refusal: Finding] {
  try {
    return [work(), undefined];
  } catch (error) {
    return [undefined, { message: messageOf(error) }];
  }
}

function definitionsOf({ types, directives, directiveExtensions, schema, schemaExtensions }: SchemaIndex): DefinitionNode[] {
  const places = [
    ...(schema === undefined ? [] : [schema]),
    ...schemaExtensions,
    ...Array.from(types.values(), partsOf).flat(),
    ...directives,
    ...directiveExtensions,
  ];
  return places.filter((place): place is DefinitionNode => isParsed(place));
}

function toFinding({ message, nodes = [] }: GraphQLError): Finding {
  // graphql-js lists the interface first, but the type that implements it must be fixed.
  const node = (message.startsWith('Interface ') ? nodes[1] : undefined) ?? nodes[0];
  return { message, sdl: node?.loc && { text: node.loc.source.body, offset: node.loc.start } };
}

/** The server's messages have no place, but they name definitions in quotes. */
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
