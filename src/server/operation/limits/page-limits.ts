import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLInputType,
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

/** A field that can be asked for a number of items. */
interface Page {
  readonly max: number;
  /** Undefined if the number is in an input object. */
  readonly default: PageDefault | undefined;
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
  /** By type and field. */
  readonly #pages = new Map<string, Page | undefined>();
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
    return this.#pageOf(type, field)?.default;
  }

  #pageOf(type: GraphQLNamedType, field: Field): Page | undefined {
    const coordinate = `${type.name}.${field.name}`;
    if (!this.#pages.has(coordinate)) this.#pages.set(coordinate, this.#findPage(type, field));
    return this.#pages.get(coordinate);
  }

  #findPage(type: GraphQLNamedType, field: Field): Page | undefined {
    if (!takesSizes(field.args, this.#sizeArguments) || !isPaged(field, this.#schema)) return undefined;
    const { default: size, max } = this.#sizesOf(type, field);
    const names = this.#sizeArguments.filter((one) => field.args.some(({ name }) => name === one));
    const name = names.find((one) => one !== 'last') ?? names[0];
    return { max, default: name === undefined ? undefined : { names, name, size } };
  }

  /**
   * For a field of an interface, the smallest maximum of its objects' fields, because clients choose the type in their query, and the
   * largest default, because that is what the field can cost.
   */
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
    const fragments = fragmentsOf(document);
    const visit = (type: GraphQLNamedType | undefined, { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
          if (field === undefined) continue;
          const page = selection.arguments?.length ? this.#pageOf(type!, field) : undefined;
          // Without a limit, as for the references of a subgraph, a field may have such names for other things.
          if (page !== undefined && page.max < Number.MAX_SAFE_INTEGER) asked.push({ node: selection, max: page.max });
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
function isPaged({ type }: Field, schema: GraphQLSchema): boolean {
  const returned = getNullableType(type);
  if (isListType(returned)) return true;
  const objects = isAbstractType(returned) ? schema.getPossibleTypes(returned) : isObjectType(returned) ? [returned] : [];
  return objects.some((object) => Object.values(object.getFields()).some((field) => isListType(getNullableType(field.type))));
}

/** True if one of the names is an argument, or a field of an input object; a custom scalar may take any value. */
function takesSizes(inputs: readonly Input[], names: readonly string[], seen: Set<GraphQLInputType> = new Set()): boolean {
  return inputs.some(({ name, type: wrapped }) => {
    const type = getNamedType(wrapped);
    if (names.includes(name)) return true;
    if (!isInputObjectType(type)) return isScalarType(type) && !isSpecifiedScalarType(type);
    return !seen.has(type) && takesSizes(Object.values(type.getFields()), names, seen.add(type));
  });
}

interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
}

function assertOrder(option: string, { default: size, max }: PageSizes): void {
  if (size > max) throw new TypeError(`Expected the option ${option} to have a default of at most its max, ${max}, got ${size}.`);
}

function assertPaged(coordinate: string, schema: GraphQLSchema): void {
  const [typeName = '', name = '', ...more] = coordinate.split('.');
  const type = schema.getType(typeName);
  const field = isObjectType(type) && more.length === 0 ? type.getFields()[name] : undefined;
  if (field !== undefined && isPaged(field, schema)) return;
  const reason = field === undefined ? 'which is no field of an object of the schema' : 'which returns no list';
  throw new TypeError(`Expected pageLimits.fields to name fields that return pages, like "Query.books", got "${coordinate}", ${reason}.`);
}

/** The error has only names that the client has sent, because the schema may be a secret. */
function refusal(node: FieldNode, expected: string): GraphQLError {
  return new GraphQLError(`Expected the field "${node.name.value}" to be ${expected}.`, {
    nodes: node,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}
