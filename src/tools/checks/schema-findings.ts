import { GraphQLError, GraphQLSchema, Kind, parse, validateSchema } from 'graphql';
import type { DefinitionNode, DocumentNode } from 'graphql';

import { messageOf } from '../../shared/index.ts';
import {
  LazySchema,
  checkResolvers,
  createSchemaIndex,
  isParsed,
  isScalarType,
  MergedResolvers,
  partsOf,
  sourcesOf,
} from '../../executor/schema/index.ts';
import type { SchemaIndex } from '../../executor/schema/index.ts';
import { checkDefinitions } from './check-definitions.ts';

/** A problem in options, with its place. */
export interface Finding {
  readonly message: string;
  /** A place in schema text. */
  readonly sdl?: { readonly text: string; readonly offset: number } | undefined;
  /** The path of the resolver: ["Query", "books"]. */
  readonly resolver?: readonly string[];
  /** The name of the option. */
  readonly option?: string;
}

/**
 * Finds the problems in typeDefs and resolvers, where createHandler stops at the first. It runs the server's checks on each part
 * separately, so that both agree. A syntax error hides all other problems, and a wrong definition hides those of complete types.
 */
export function findInSchema(typeDefs: unknown, resolvers: unknown): Finding[] {
  const [sources, refusal] = attempt(() => sourcesOf(typeDefs));
  if (sources === undefined) return [refusal];
  const parsed = sources.map((source) => (typeof source === 'string' ? attempt(() => parse(source)) : ([source] as const)));
  const unparsed = parsed.flatMap(([, wrong]) => wrong ?? []);
  if (unparsed.length > 0) return unparsed;
  const documents = parsed.map(([document]) => document!);
  return findInDocuments(documents, resolvers);
}

function findInDocuments(documents: readonly DocumentNode[], resolvers: unknown): Finding[] {
  const [index, refusal] = attempt(() => createSchemaIndex(documents));
  if (index === undefined) return [{ ...refusal, sdl: placeOfNames(refusal.message, documents) }];
  const inDefinitions = checkDefinitions(definitionsOf(index)).map(toFinding);
  return [...(inDefinitions.length > 0 ? inDefinitions : findInTypes(index)), ...findInResolvers(resolvers, index)];
}

function findInTypes(index: SchemaIndex): Finding[] {
  const [errors, refusal] = attempt(() => validateSchema(new GraphQLSchema(new LazySchema(index, new Map()).toConfig())));
  return errors === undefined ? [refusal] : errors.map(toFinding);
}

function findInResolvers(resolvers: unknown, index: SchemaIndex): Finding[] {
  const maps = Array.isArray(resolvers) ? resolvers.flat(Number.POSITIVE_INFINITY) : [resolvers ?? {}];
  const check = (map: unknown): Finding | undefined => attempt(() => checkResolvers(new MergedResolvers(map), index))[1];
  return maps.flatMap((map) => findInMap(map, [], check));
}

/** Finds the smallest parts of a map that the server refuses: single resolvers, all resolvers of a type, or the whole map. */
function findInMap(part: unknown, path: readonly string[], check: (map: unknown) => Finding | undefined): Finding[] {
  const isRefused = (value: unknown): Finding | undefined => check(path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value));
  const refusal = isRefused(part);
  if (refusal === undefined) return [];
  // An unknown type is reported once, not for each of its fields.
  const isSmallest = path.length === 2 || typeof part !== 'object' || part === null || isScalarType(part) || isRefused({}) !== undefined;
  const smaller = isSmallest ? [] : Object.entries(part).flatMap(([key, value]) => findInMap(value, [...path, key], check));
  return smaller.length > 0 ? smaller : [{ ...refusal, resolver: path }];
}

/** The result of a check, or the user's mistake that it threw. */
function attempt<T>(work: () => T): readonly [result: T, refusal?: undefined] | readonly [result: undefined, refusal: Finding] {
  try {
    return [work()];
  } catch (error) {
    return [undefined, error instanceof GraphQLError ? toFinding(error) : { message: messageOf(error) }];
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

function toFinding({ message: text, nodes = [], source, positions = [] }: GraphQLError): Finding {
  const message = text.replace(/^Unknown (?:directive|type) "[^"]+"\.$/, '$& Define it in typeDefs.');
  // graphql-js lists the interface first, but the type that implements it must be fixed. Of two definitions, the second is too many.
  const loc = (/^Interface |only be defined once/.test(message) ? nodes[1] : nodes[0])?.loc;
  if (loc !== undefined) return { message, sdl: { text: loc.source.body, offset: loc.start } };
  return { message, sdl: source && { text: source.body, offset: positions[0] ?? 0 } };
}

/** The server's messages have no place, but they name definitions in quotes. */
function placeOfNames(message: string, documents: readonly DocumentNode[]): Finding['sdl'] {
  const definitions = documents.flatMap((document) => document.definitions);
  const names = [...message.matchAll(/(?:"(?:\w+ )?|\bdefine )(\w+)(?:[".])/g)].map(([, name]) => name);
  const isSchema = message.startsWith('The schema definition');
  const named = definitions.findLast((one) =>
    isSchema ? one.kind === Kind.SCHEMA_DEFINITION : 'name' in one && names.includes(one.name?.value),
  );
  return named?.loc && { text: named.loc.source.body, offset: named.loc.start };
}
