import type { DocumentNode, GraphQLSchema, SelectionSetNode } from 'graphql';

/** A function of a schema that graphql-js calls while it executes. */
export type SchemaFunction = (this: unknown, ...values: never[]) => unknown;

/** The functions of a field, and those that say which type an object has. */
export type Role = 'resolve' | 'subscribe' | 'resolveType' | 'isTypeOf';

/** Makes the functions that take the place of others, by their role. It is made once: by its identity is known what it has wrapped. */
export type Around = Readonly<Partial<Record<Role, (original: SchemaFunction) => SchemaFunction>>>;

/**
 * Puts other functions in the place of those that a document may call. In the schema itself, for a copy of it would have other
 * types than those that resolvers know; so the new functions must do what the old ones did, but in the executions they are for.
 * They stay: other executions may be running them. In a frozen schema nothing is replaced.
 *
 * Imports nothing of graphql, and reads types by their methods: explain runs this beside a bundle, which has a graphql of its own.
 */
export function wrapResolvers(schema: GraphQLSchema, document: DocumentNode, around: Around): void {
  const documents = known.get(around) ?? new WeakMap<DocumentNode, GraphQLSchema>();
  if (documents.get(document) === schema) return;
  known.set(around, documents.set(document, schema));
  const walk = { schema, around };
  for (const definition of document.definitions) {
    if (definition.kind === 'OperationDefinition') visit(walk, schema.getRootType(definition.operation), definition.selectionSet);
    // Each fragment once, and not where it is spread: the objects that get there are of its type.
    if (definition.kind === 'FragmentDefinition') visit(walk, schema.getType(definition.typeCondition.name.value), definition.selectionSet);
  }
}

/** Documents that have been looked through, and the schema that they ran on last. */
const known = new WeakMap<Around, WeakMap<DocumentNode, GraphQLSchema>>();

interface Walk {
  readonly schema: GraphQLSchema;
  readonly around: Around;
}

/** The part of graphql-js's types that is used here. */
interface Composite {
  /** A union has none. */
  getFields?(): Readonly<Record<string, { readonly type: object } | undefined>>;
  /** Interfaces and unions have the property, whatever its value. */
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

/** The object types of a type: itself, or the members of an interface or a union. */
function objectsOf({ schema }: Walk, type: Composite): readonly Composite[] {
  return 'resolveType' in type ? (schema.getPossibleTypes(type as never) as readonly Composite[]) : [type];
}

function wrap({ around }: Walk, owner: object | undefined): void {
  for (const role of Object.keys(around) as Role[]) {
    const original = owner && (Reflect.get(owner, role) as Wrapped | undefined);
    if (typeof original !== 'function' || original[wrappings]?.has(around) === true) continue;
    const wrapped: Wrapped = around[role]!(original);
    wrapped[wrappings] = new Set(original[wrappings]).add(around);
    Reflect.set(owner!, role, wrapped);
  }
}

/** On each wrapper, all that it wraps with: several copies of this file put theirs around one function, and each must see its own below the others'. */
const wrappings = Symbol.for('graphql-functions.wrappings');

type Wrapped = SchemaFunction & { [wrappings]?: ReadonlySet<Around> };

function namedType(type: object | undefined): object | undefined {
  let named = type;
  while (named !== undefined && 'ofType' in named) named = named.ofType as object;
  return named;
}

/** `__schema` is of the type `__Schema`, `__type` of the type `__Type`: no type has these fields. */
function introspectionType({ schema }: Walk, name: string): object | undefined {
  return schema.getType(name.replace(/^__[st]/, (start) => start.toUpperCase()));
}
