import type { DocumentNode, GraphQLSchema, SelectionSetNode } from 'graphql';

import { wrapResolver } from '../../../shared/index.ts';

/** A function of a schema that execution calls. */
export type SchemaFunction = (this: unknown, ...values: never[]) => unknown;

export type Role = 'resolve' | 'subscribe' | 'resolveType' | 'isTypeOf';

/** Creates wrappers by role; `isBatched`: of a function of many parents. Must be a constant: each function is wrapped once per object. */
export type Around = Readonly<Partial<Record<Role, (original: SchemaFunction, isBatched: boolean) => SchemaFunction>>>;

/**
 * Wraps the functions that a document may call. Changes the schema itself, because a copy would have types that resolvers do not
 * know, and leaves the wrappers there: they must have no effect on other executions. Does nothing in a frozen schema.
 *
 * Does not import graphql: explain runs this next to a bundle, which contains another copy of graphql.
 */
export function wrapResolvers(schema: GraphQLSchema, document: DocumentNode, around: Around): void {
  const documents = known.get(around) ?? new WeakMap<DocumentNode, GraphQLSchema>();
  if (documents.get(document) === schema) return;
  known.set(around, documents.set(document, schema));
  const walk = { schema, around };
  for (const definition of document.definitions) {
    if (definition.kind === 'OperationDefinition') visit(walk, schema.getRootType(definition.operation), definition.selectionSet);
    // Each fragment once, not at each spread.
    if (definition.kind === 'FragmentDefinition') visit(walk, schema.getType(definition.typeCondition.name.value), definition.selectionSet);
  }
}

/** Documents that have been visited, with their last schema. */
const known = new WeakMap<Around, WeakMap<DocumentNode, GraphQLSchema>>();

interface Walk {
  readonly schema: GraphQLSchema;
  readonly around: Around;
}

interface Composite {
  /** Unions have none. */
  getFields?(): Readonly<Record<string, { readonly type: object } | undefined>>;
  /** Interfaces and unions have this property, even if it is undefined. */
  readonly resolveType?: unknown;
}

function visit(walk: Walk, type: object | null | undefined, { selections }: SelectionSetNode): void {
  const parent = type as Composite | null | undefined;
  if (parent === null || parent === undefined) return;
  for (const selection of selections) {
    if (selection.kind === 'FragmentSpread') continue;
    const { selectionSet } = selection;
    if (selection.kind === 'InlineFragment') {
      const condition = selection.typeCondition;
      visit(walk, condition === undefined ? parent : walk.schema.getType(condition.name.value), selection.selectionSet);
      continue;
    }
    const name = selection.name.value;
    for (const object of objectsOf(walk, parent)) wrap(walk, object.getFields?.()[name]);
    if (selectionSet === undefined) continue;
    const below = namedType(parent.getFields?.()[name]?.type) ?? introspectionType(walk, name);
    for (const owner of below === undefined ? [] : [below, ...objectsOf(walk, below)]) wrap(walk, owner);
    visit(walk, below, selectionSet);
  }
}

/** The possible object types of a type. */
function objectsOf({ schema }: Walk, type: Composite): readonly Composite[] {
  return 'resolveType' in type ? (schema.getPossibleTypes(type as never) as readonly Composite[]) : [type];
}

function wrap({ around }: Walk, owner: object | undefined): void {
  for (const role of Object.keys(around) as Role[]) {
    const original = owner && (Reflect.get(owner, role) as Wrapped | undefined);
    if (typeof original !== 'function' || original[wrappings]?.has(around) === true) continue;
    const wrapped = wrapResolver<Wrapped>(original, around[role]!);
    wrapped[wrappings] = new Set(original[wrappings]).add(around);
    Reflect.set(owner!, role, wrapped);
  }
}

/** On each wrapper, all wrappings of the function: several copies of this file may wrap one function. */
const wrappings = Symbol.for('graphql-functions.wrappings');

type Wrapped = SchemaFunction & { [wrappings]?: ReadonlySet<Around> };

function namedType(type: object | undefined): object | undefined {
  let named = type;
  while (named !== undefined && 'ofType' in named) named = named.ofType as object;
  return named;
}

/** `__schema` has the type `__Schema`, `__type` the type `__Type`. */
function introspectionType({ schema }: Walk, name: string): object | undefined {
  return schema.getType(name.replace(/^__[st]/, (start) => start.toUpperCase()));
}
