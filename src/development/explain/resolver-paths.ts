import { AsyncLocalStorage } from 'node:async_hooks';

import type {
  DocumentNode,
  FragmentDefinitionNode,
  GraphQLFieldResolver,
  GraphQLNamedType,
  GraphQLSchema,
  GraphQLType,
  SelectionSetNode,
} from 'graphql';

/** Names and numbers from the root of the answer to a field. */
export type ResponsePath = readonly (string | number)[];

interface Link {
  readonly prev: Link | undefined;
  readonly key: string | number;
}

/** The path of the field that is being resolved, or undefined between fields; nothing outside of an explained operation. */
const current = new AsyncLocalStorage<{ readonly path: Link | undefined }>();

/** Runs an operation whose resolvers can be told apart. */
export function withResolverPaths<T>(run: () => T): T {
  return current.run({ path: undefined }, run);
}

/** The path of the field whose resolver has led here, through whatever it awaited. */
export function currentPath(): ResponsePath | undefined {
  let link = current.getStore()?.path;
  if (link === undefined) return undefined;
  const path: (string | number)[] = [];
  for (; link !== undefined; link = link.prev) path.unshift(link.key);
  return path;
}

/**
 * Makes the resolvers that an operation may call say where they are. They stay so: another explained operation may be
 * running them. Either executor reads a field's resolver anew at every call, and outside of an explained operation this
 * one only looks whether it is in one.
 *
 * The schema is read by its methods and documents by their kinds, without graphql: beside a bundle there would be two.
 */
export function markResolvers(schema: GraphQLSchema, document: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
  const marker = new Marker(schema, fragments);
  for (const definition of document.definitions)
    if (definition.kind === 'OperationDefinition') marker.visit(schema.getRootType(definition.operation), definition.selectionSet);
}

/** The part of graphql-js's types that is used here. */
interface Composite {
  readonly name: string;
  getFields?(): Readonly<Record<string, Field>>;
  /** A union's. */
  getTypes?(): readonly Composite[];
  readonly resolveType?: unknown;
}

interface Field {
  readonly type: GraphQLType;
  resolve?: GraphQLFieldResolver<unknown, unknown> | undefined;
}

class Marker {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #seen = new Map<SelectionSetNode, Set<unknown>>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  visit(type: GraphQLNamedType | null | undefined, selectionSet: SelectionSetNode): void {
    for (const object of this.#objectsOf(type)) this.#visitObject(object, selectionSet);
  }

  #visitObject(object: Composite, selectionSet: SelectionSetNode): void {
    const seen = this.#seen.get(selectionSet) ?? new Set();
    if (seen.has(object)) return;
    this.#seen.set(selectionSet, seen.add(object));
    for (const selection of selectionSet.selections) {
      if (selection.kind === 'Field') {
        const field = object.getFields?.()[selection.name.value];
        if (field === undefined) continue;
        mark(field);
        if (selection.selectionSet !== undefined) this.visit(namedType(field.type), selection.selectionSet);
      } else {
        // A condition that the object does not meet does no harm: fields that it does not have are passed over.
        const set = selection.kind === 'InlineFragment' ? selection.selectionSet : this.#fragments.get(selection.name.value)?.selectionSet;
        if (set !== undefined) this.#visitObject(object, set);
      }
    }
  }

  /** The types that a value may have: the type itself, or the members of an interface or a union. */
  #objectsOf(type: GraphQLNamedType | null | undefined): readonly Composite[] {
    const composite = type as Composite | null | undefined;
    if (composite === null || composite === undefined) return [];
    const isAbstract = 'resolveType' in composite;
    return isAbstract ? (this.#schema.getPossibleTypes(type as never) as readonly Composite[]) : [composite];
  }
}

/** By field, not by resolver: another that is put around a marked one (execution/graphql-js/execute-with-deadline.ts) would be marked again, and so on. */
const marked = new WeakSet<Field>();

function mark(field: Field): void {
  const { resolve } = field;
  if (resolve === undefined || marked.has(field)) return;
  const resolveMarked: typeof resolve = (source, values, contextValue, info) => {
    if (current.getStore() === undefined) return resolve(source, values, contextValue, info);
    return current.run({ path: info.path }, () => resolve(source, values, contextValue, info));
  };
  marked.add(field);
  // In a schema that was frozen, calls do not know their field.
  Reflect.set(field, 'resolve', resolveMarked);
}

function namedType(type: GraphQLType): GraphQLNamedType {
  let named: GraphQLType = type;
  while ('ofType' in named) named = named.ofType as GraphQLType;
  return named;
}
