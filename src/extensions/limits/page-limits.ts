import { getNullableType, isAbstractType, isInterfaceType, isListType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLNamedType, GraphQLSchema } from 'graphql';

import type { PageDefault, PageDefaults } from '../../executor/index.ts';
import { findSizeInputs, takesNumbers } from './sizes.ts';

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

/** A field that can be asked for a number of items. */
export interface Page {
  readonly max: number;
  /** The number of items if the client gives none. */
  readonly size: number;
  /** The default size; undefined if no argument takes it, as for sizes in input objects. */
  readonly default: PageDefault | undefined;
}

type Field = GraphQLField<unknown, unknown>;

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
  /** The pages by type and field. */
  readonly #pages = new Map<string, Page | undefined>();

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
    return this.pageOf(type, field)?.default;
  }

  /** Returns undefined if the field has no pages. */
  pageOf(type: GraphQLNamedType, field: Field): Page | undefined {
    const coordinate = `${type.name}.${field.name}`;
    if (!this.#pages.has(coordinate)) this.#pages.set(coordinate, this.#findPage(type, field));
    return this.#pages.get(coordinate);
  }

  #findPage(type: GraphQLNamedType, field: Field): Page | undefined {
    const { direct, objects } = findSizeInputs(field, this.#sizeArguments);
    if (direct.length + objects.length === 0 || !isPaged(field, this.#schema)) return undefined;
    const { default: size, max } = this.#fields.get(`${type.name}.${field.name}`) ?? this.#sizes;
    const inputs = this.#sizeArguments.flatMap((one) => direct.find((input) => input.name === one) ?? []);
    const numbers = inputs.filter(takesNumbers);
    const { name } = numbers.find((input) => input.name !== 'last') ?? numbers[0] ?? {};
    // An argument that takes text may be the size, too: then no default is added beside it.
    return { max, size, default: name === undefined ? undefined : { names: inputs.map((input) => input.name), name, size } };
  }
}

/** True for a list, and for an object with a list directly in it, such as a connection. */
function isPaged({ type }: Field, schema: GraphQLSchema): boolean {
  const returned = getNullableType(type);
  if (isListType(returned)) return true;
  const objects = isAbstractType(returned) ? schema.getPossibleTypes(returned) : isObjectType(returned) ? [returned] : [];
  return objects.some((object) => Object.values(object.getFields()).some((field) => isListType(getNullableType(field.type))));
}

function assertOrder(option: string, { default: size, max }: PageSizes): void {
  if (size > max) throw new TypeError(`Expected the option ${option} to have a default of at most its max, ${max}, got ${size}.`);
}

function assertPaged(coordinate: string, schema: GraphQLSchema): void {
  const field = isObjectType(schema.getType(coordinate.split('.')[0]!)) ? fieldAt(coordinate, schema) : undefined;
  if (field !== undefined && isPaged(field, schema)) return;
  const reason = field === undefined ? 'which is no field of an object of the schema' : 'which returns no list';
  throw new TypeError(`Expected pageLimits.fields to name fields that return pages, like "Query.books", got "${coordinate}", ${reason}.`);
}

/** Returns the field of a coordinate like "Query.books"; undefined if no object or interface has it. */
export function fieldAt(coordinate: string, schema: GraphQLSchema): Field | undefined {
  const [typeName = '', name = '', ...more] = coordinate.split('.');
  const type = schema.getType(typeName);
  return (isObjectType(type) || isInterfaceType(type)) && more.length === 0 ? type.getFields()[name] : undefined;
}
