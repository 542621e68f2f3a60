import { Kind, buildSchema, execute, isInterfaceType, isObjectType, getNamedType, isAbstractType, isLeafType, visit } from 'graphql';
import type {
  ConstDirectiveNode,
  DirectiveNode,
  DocumentNode,
  ExecutionResult,
  GraphQLList,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLUnionType,
} from 'graphql';

import type { Model, Rule } from './model.ts';
import type { RandomOperation } from './operations.ts';
import { writeForReference } from './text.ts';

/** Who sends an operation: `scopes` undefined or null is nobody. Only policies that are `true` allow. */
export interface Caller {
  readonly scopes: readonly string[] | null | undefined;
  readonly policies: ReadonlyMap<string, unknown>;
}

/** Undefined: allowed. */
export type Refusal =
  | { readonly code: 'UNAUTHENTICATED' | 'FORBIDDEN'; readonly missing: readonly string[]; readonly needed: readonly string[] }
  | undefined;

export function referenceSchema(model: Model): GraphQLSchema {
  return buildSchema(writeForReference(model), { assumeValidSDL: true });
}

/**
 * The places whose rules an operation needs: it runs with resolvers that answer each field of objects with one object of each possible
 * type, and notes what is called and answered.
 */
export function neededPlaces(schema: GraphQLSchema, operation: RandomOperation): ReadonlySet<string> {
  const needed = new Set<string>();
  /** The rules of a type, and those of its interfaces. */
  const needType = (type: GraphQLNamedType): void => {
    needed.add(type.name);
    if (isObjectType(type) || isInterfaceType(type)) for (const { name } of type.getInterfaces()) needed.add(name);
  };
  const needField = (type: GraphQLObjectType, field: string): void => {
    needType(type);
    needed.add(`${type.name}.${field}`);
    for (const one of type.getInterfaces()) if (one.getFields()[field] !== undefined) needed.add(`${one.name}.${field}`);
  };
  const fieldResolver = (_source: unknown, args: Record<string, any>, _context: unknown, info: GraphQLResolveInfo): unknown => {
    const { parentType, fieldName, returnType } = info;
    // Not protected, even if the root type is.
    if (fieldName === '_service') return {};
    if (parentType.name === '_Service') return 'text';
    needField(parentType, fieldName);
    if (fieldName === '_entities') return args['representations'].map((one: unknown) => answerEntities(schema, one, needType)).flat();
    const target = getNamedType(returnType);
    if (isLeafType(target)) {
      needType(target);
      return leafValue(returnType, target.name);
    }
    // The object itself counts.
    if (!isAbstractType(target) || isInterfaceType(target)) needType(target);
    const types = isAbstractType(target) ? schema.getPossibleTypes(target) : [target as GraphQLObjectType];
    return types.map(({ name }) => ({ type: name }));
  };
  const result = execute({
    schema,
    document: withoutNull(nameTypenames(operation.document), operation),
    operationName: operation.operationName,
    variableValues: operation.variables,
    rootValue: {},
    fieldResolver,
    typeResolver: ({ type }) => type,
  }) as ExecutionResult;
  if (result.errors !== undefined)
    throw new Error(`${operation.text}\n${JSON.stringify(operation.variables)}`, { cause: result.errors[0] });
  for (const name of answeredTypenames(result.data)) {
    if (name === '_Service') continue;
    needType(schema.getType(name)!);
  }
  return needed;
}

/**
 * The entities that one representation may be answered with. The rules of a type that is no entity count, too: its reference resolver
 * runs. Other names are those of no type.
 */
function answerEntities(schema: GraphQLSchema, representation: any, needType: (type: GraphQLNamedType) => void): readonly object[] {
  const name: unknown = representation?.__typename;
  const type = typeof name === 'string' ? schema.getType(name) : undefined;
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  needType(type);
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  for (const one of types) needType(one);
  const entities = schema.getPossibleTypes(schema.getType('_Entity') as GraphQLUnionType);
  return types.filter((one) => entities.includes(one)).map((one) => ({ type: one.name }));
}

function leafValue(type: GraphQLOutputType, name: string): unknown {
  const inner = (type as Partial<GraphQLList<GraphQLOutputType>>).ofType;
  const value = { Int: 1, ID: '1', E0: 'V0' }[name] ?? 'text';
  if (inner === undefined) return value;
  const isList = String(type).endsWith(']');
  return isList ? [leafValue(inner, name)] : leafValue(inner, name);
}

const mark = 'typename__';

/** Gives each `__typename` a key by which it is found in the answer. */
function nameTypenames(document: DocumentNode): DocumentNode {
  let at = 0;
  return visit(document, {
    Field: (node) => {
      if (node.name.value !== '__typename') return undefined;
      return { ...node, alias: { kind: Kind.NAME, value: `${mark}${at++}` } };
    },
  });
}

function answeredTypenames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(answeredTypenames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key.startsWith(mark) ? [one as string] : answeredTypenames(one)));
}

/** Removes conditions whose variable is null, which count as included. */
function withoutNull(document: DocumentNode, { variables }: RandomOperation): DocumentNode {
  const isNull = ({ arguments: given = [] }: DirectiveNode | ConstDirectiveNode): boolean =>
    given.some(({ value }) => value.kind === Kind.VARIABLE && variables[value.name.value] === null);
  return visit(document, { Directive: (node) => (isNull(node) ? null : undefined) });
}

/** Decides for one caller. `needed`: the places whose rules the operation needs. */
export function decide(model: Model, needed: ReadonlySet<string>, { scopes, policies }: Caller): Refusal {
  const rules = [...needed].flatMap((place) => model.rules.get(place) ?? []);
  const held = new Set(scopes);
  const isNobody = scopes === null || scopes === undefined;
  const missing = new Set<string>();
  const wanted = new Set<string>();
  let isRefused = false;
  for (const rule of rules) {
    if (rule.authenticated === true && isNobody) isRefused = true;
    if (rule.scopes === undefined) continue;
    const lacks = rule.scopes.map((alternative) => alternative.filter((scope) => !held.has(scope)));
    const fewest = Math.min(...lacks.map(({ length }) => length));
    // Without an alternative, nobody is allowed.
    const at = lacks.findIndex(({ length }) => length === fewest);
    if (fewest > 0 || isNobody) isRefused = true;
    for (const scope of lacks[at] ?? []) missing.add(scope);
    for (const scope of rule.scopes[at] ?? []) wanted.add(scope);
  }
  const failure = { missing: [...missing].toSorted(), needed: [...wanted].toSorted() };
  if (isRefused) return { code: isNobody ? 'UNAUTHENTICATED' : 'FORBIDDEN', ...failure };
  const isMet = ({ policies: alternatives }: Rule): boolean =>
    alternatives === undefined || alternatives.some((all) => all.every((name) => policies.get(name) === true));
  return rules.every(isMet) ? undefined : { code: 'FORBIDDEN', ...failure };
}
