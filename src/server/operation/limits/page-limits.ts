import { getNamedType, getNullableType, GraphQLError, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

import type { PageDefault, PageDefaults } from '../../../executor/index.ts';
import { fragmentsOf } from './document-size.ts';
import { defaultSizeArguments, SizeArguments } from './list-sizes.ts';

/** The sizes of the pages of a field. */
export interface PageSizes {
  /** The number of items if the client does not say how many. */
  readonly default: number;
  /** The largest number of items that a client may ask for. */
  readonly max: number;
}

/** How many items fields return. */
export interface PageLimitOptions extends PageSizes {
  /** Other sizes for single fields of objects, for example `{ 'Query.books': { max: 500 } }`. Default: none. */
  readonly fields?: Readonly<Record<string, Partial<PageSizes>>>;
}

/** An operation with what its page sizes depend on. */
export interface PageInput {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** A field that is asked for a number of items. */
interface Asked {
  readonly node: FieldNode;
  readonly max: number;
}

type Field = GraphQLField<unknown, unknown>;

/** The limits of these options. Undefined without the option. */
export function createPageLimits({ pageLimits, maxCost }: PagingOptions, schema: GraphQLSchema): PageLimits | undefined {
  const sizeArguments = (typeof maxCost === 'object' ? maxCost.sizeArguments : undefined) ?? defaultSizeArguments;
  return pageLimits && new PageLimits(schema, pageLimits, sizeArguments);
}

interface PagingOptions {
  readonly pageLimits?: PageLimitOptions;
  readonly maxCost?: number | { readonly sizeArguments?: readonly string[] };
}

/**
 * Limits the number of items of fields that return a list, or an object with a list directly in it, and takes the default for their
 * arguments. The schema stays as it is: other servers may use it.
 */
export class PageLimits implements PageDefaults {
  readonly #schema: GraphQLSchema;
  readonly #sizes: PageSizes;
  /** The sizes of single fields, by type and field. */
  readonly #fields: ReadonlyMap<string, PageSizes>;
  readonly #sizeArguments: readonly string[];
  readonly #defaults = new Map<string, PageDefault | undefined>();
  readonly #asked = new WeakMap<OperationDefinitionNode, readonly Asked[]>();

  /** Throws for a default that is larger than its maximum, and for fields that the schema does not have or that return no list. */
  constructor(schema: GraphQLSchema, { fields = {}, ...sizes }: PageLimitOptions, sizeArguments: readonly string[]) {
    this.#schema = schema;
    this.#sizes = sizes;
    this.#fields = new Map(Object.entries(fields).map(([field, its]) => [field, { ...sizes, ...its }]));
    this.#sizeArguments = sizeArguments;
    assertOrder('pageLimits', sizes);
    for (const [coordinate, its] of this.#fields) {
      assertPaged(coordinate, schema);
      assertOrder(`pageLimits.fields["${coordinate}"]`, its);
    }
  }

  /** The default that a field gets if the client gives no size. Undefined for a field without pages. */
  defaultFor(type: GraphQLNamedType, field: Field): PageDefault | undefined {
    const coordinate = `${type.name}.${field.name}`;
    if (!this.#defaults.has(coordinate)) this.#defaults.set(coordinate, this.#findDefault(type, field));
    return this.#defaults.get(coordinate);
  }

  #findDefault(type: GraphQLNamedType, field: Field): PageDefault | undefined {
    const sized = this.#sizeArguments.flatMap((size) => field.args.find(({ name }) => name === size) ?? []);
    const argument = sized.find(({ name }) => name !== 'last') ?? sized[0];
    if (argument === undefined || !isPaged(field)) return undefined;
    return { names: sized.map(({ name }) => name), name: argument.name, size: this.#sizesOf(type, field).default };
  }

  /** The sizes of a field of an interface are the strictest of its objects' fields, because clients choose through which type they ask. */
  #sizesOf(type: GraphQLNamedType, { name }: Field): PageSizes {
    let sizes = this.#fields.get(`${type.name}.${name}`) ?? this.#sizes;
    if (!isInterfaceType(type)) return sizes;
    for (const [coordinate, { default: size, max }] of this.#fields) {
      const [typeName, fieldName] = coordinate.split('.');
      if (fieldName !== name || !this.#schema.isSubType(type, this.#schema.getType(typeName!) as never)) continue;
      sizes = { default: Math.max(size, sizes.default), max: Math.min(max, sizes.max) };
    }
    return sizes;
  }

  /** Throws if a field of the operation is asked for too many items, for fewer than none, or in both directions. `@skip` is ignored. */
  assert({ document, operation, variables }: PageInput): void {
    let asked = this.#asked.get(operation);
    if (asked === undefined) this.#asked.set(operation, (asked = this.#findAsked(document, operation)));
    if (asked.length === 0) return;
    const sizes = new SizeArguments(this.#sizeArguments, operation, variables);
    for (const { node, max } of asked) {
      const given = sizes.givenTo(node);
      if (given === undefined) continue;
      if (given.isFirst && given.isLast) throw refusal(node, 'asked for its first or its last items, got both "first" and "last"');
      if (given.least < 0 || given.most > max) {
        throw refusal(node, `asked for 0 to ${max} items, got ${given.least < 0 ? given.least : given.most}`);
      }
    }
  }

  /** This may be recursive, because the depth of the document has been limited before (FragmentNesting). */
  #findAsked(document: DocumentNode, operation: OperationDefinitionNode): readonly Asked[] {
    const asked: Asked[] = [];
    const fragments = new Map(fragmentsOf(document));
    const visit = (type: GraphQLNamedType | undefined, { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
          if (field === undefined) continue;
          if (selection.arguments?.length && isPaged(field)) asked.push({ node: selection, max: this.#sizesOf(type!, field).max });
          if (selection.selectionSet !== undefined) visit(getNamedType(field.type), selection.selectionSet);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          const { typeCondition } = selection;
          visit(typeCondition === undefined ? type : this.#schema.getType(typeCondition.name.value), selection.selectionSet);
        } else {
          const fragment = fragments.get(selection.name.value);
          fragments.delete(selection.name.value);
          if (fragment !== undefined) visit(this.#schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
        }
      }
    };
    visit(this.#schema.getRootType(operation.operation) ?? undefined, operation.selectionSet);
    return asked;
  }
}

/** True for a list, and for an object with a list directly in it, such as a connection. */
function isPaged({ type }: Field): boolean {
  const returned = getNullableType(type);
  if (isListType(returned)) return true;
  if (!isObjectType(returned) && !isInterfaceType(returned)) return false;
  return Object.values(returned.getFields()).some((field) => isListType(getNullableType(field.type)));
}

function assertOrder(option: string, { default: size, max }: PageSizes): void {
  if (size > max) throw new TypeError(`Expected the option ${option} to have a default of at most its max, ${max}, got ${size}.`);
}

function assertPaged(coordinate: string, schema: GraphQLSchema): void {
  const [typeName = '', name = '', ...more] = coordinate.split('.');
  const type = schema.getType(typeName);
  const field = isObjectType(type) && more.length === 0 ? type.getFields()[name] : undefined;
  if (field !== undefined && isPaged(field)) return;
  const reason = field === undefined ? 'which is no field of an object of the schema' : 'which returns no list';
  throw new TypeError(`Expected pageLimits.fields to name fields that return pages, like "Query.books", got "${coordinate}", ${reason}.`);
}

/** The error has only names that the client has sent: see the option `schemaInErrors`. */
function refusal(node: FieldNode, expected: string): GraphQLError {
  return new GraphQLError(`Expected the field "${node.name.value}" to be ${expected}.`, {
    nodes: node,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}
