import { defaultTypeResolver, isObjectType } from 'graphql';
import type { GraphQLAbstractType, GraphQLNamedType, GraphQLObjectType } from 'graphql';

import { misfit, nullOrThrow } from '../errors.ts';
import { inspect } from '../inspect.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { completeChecked, observeType, typeCheckOf } from './objects.ts';
import { PromisedType } from '../pending.ts';
import type { Pending } from '../pending.ts';
import { Shape } from '../../plan/planned-field.ts';
import type { FieldRun, Position } from '../../plan/planned-field.ts';
import { handleRejections } from '../unhandled-rejections.ts';
import type { CollectedRows } from '../batch/batch-types.ts';
import { canBeRow, rowsOf } from '../rows/rows.ts';
import type { Rows } from '../rows/rows.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** Interfaces and unions: the type depends on the object. */
export class AbstractShape extends Shape {
  readonly #type: GraphQLAbstractType;

  constructor(type: GraphQLAbstractType, nonNull: boolean) {
    super(nonNull);
    this.#type = type;
  }

  complete(position: Position, value: unknown): unknown {
    return this.completeAs(position, this.resolveType(position.fieldRun, value), value);
  }

  /** Completes an object by the result of `resolveType`. */
  completeAs(position: Position, answer: unknown, value: unknown): unknown {
    const proceed = (name: unknown): unknown => completeChecked(position, this.objectType(position.fieldRun, name, value), value);
    return isPromiseLike(answer) ? new PromisedType(position, value, answer, proceed) : proceed(answer);
  }

  /** The type name of an object, a promise of it, or an invalid value. */
  resolveType(fieldRun: FieldRun, value: unknown): unknown {
    const { run } = fieldRun;
    const { resolveType } = this.#type;
    if (resolveType === undefined) {
      // This is what the default resolver does, but without `info`.
      const typename = typeof value === 'object' ? (value as { __typename?: unknown }).__typename : undefined;
      if (typeof typename === 'string') return typename;
    }
    return observeType(fieldRun, { type: this.#type, value }, (info) =>
      (resolveType ?? defaultTypeResolver)(value, run.contextValue, info, this.#type),
    );
  }

  /** The object type of a resolved name. Throws if it is not a possible type. */
  objectType(fieldRun: FieldRun, name: unknown, value: unknown): GraphQLObjectType {
    if (typeof name !== 'string') throw noTypeName(fieldRun, this.#type.name, { name, value });
    return assertPossibleType(fieldRun, this.#type, name);
  }
}

/** Completes the items of one list like completeItem, faster for types with a row builder. */
export class RowsByType {
  readonly #list: ListRun;
  readonly #shape: AbstractShape;
  /** By type. Undefined: no type has a row builder yet. */
  #rows: Map<string, Rows> | undefined = undefined;
  /** The rows of the last item. */
  #last: Rows | undefined = undefined;

  constructor(list: ListRun, shape: AbstractShape) {
    this.#list = list;
    this.#shape = shape;
  }

  complete(item: unknown, index: number): unknown {
    const list = this.#list;
    if (!canBeRow(item)) return completeItem(list, item, index);
    const shape = this.#shape;
    try {
      const answer = shape.resolveType(list.fieldRun, item);
      const rows = this.#rowsOf(answer, item);
      this.#last = rows;
      if (rows === undefined) return shape.completeAs(list.at(index), answer, item);
      return rows.makeNth(item, index);
    } catch (error) {
      handleRejections(item);
      return nullOrThrow(list.at(index), error);
    }
  }

  takePending(): readonly Pending[] | undefined {
    return this.#last?.takePending();
  }

  takeBatchedRows(): readonly CollectedRows[] {
    return [...(this.#rows?.values() ?? [])].flatMap((rows) => rows.takeBatchedRows());
  }

  /** Undefined if the type has no row builder, or if the name is not a string. */
  #rowsOf(name: unknown, item: object): Rows | undefined {
    if (typeof name !== 'string') return undefined;
    return this.#rows?.get(name) ?? this.#addRows(this.#shape.objectType(this.#list.fieldRun, name, item));
  }

  #addRows(type: GraphQLObjectType): Rows | undefined {
    const { fieldRun } = this.#list;
    const rows = rowsOf(this.#list, fieldRun.field.selectionFor(type, fieldRun.run), { count: 0, check: typeCheckOf(type) });
    if (rows !== undefined) (this.#rows ??= new Map()).set(type.name, rows);
    return rows;
  }
}

/** The possible type of this name. The messages are graphql-js's. */
function assertPossibleType({ run }: FieldRun, abstractType: GraphQLAbstractType, name: string): GraphQLObjectType {
  const type = run.settings.schema.getType(name);
  if (isObjectType(type) && run.settings.schema.isSubType(abstractType, type)) return type;
  throw misfit(wrongTypeMessage(abstractType.name, name, type));
}

function wrongTypeMessage(abstract: string, name: string, type: GraphQLNamedType | null | undefined): string {
  if (type === null || type === undefined)
    return `Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`;
  if (!isObjectType(type)) return `Abstract type "${abstract}" was resolved to a non-object type "${name}".`;
  return `Runtime Object type "${type.name}" is not a possible type for "${abstract}".`;
}

function noTypeName({ field }: FieldRun, abstract: string, { name, value }: { readonly name: unknown; readonly value: unknown }): Error {
  const { parentType, fieldName } = field;
  const problem = `Abstract type "${abstract}" must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    const remedy = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return misfit(`${problem}. ${remedy}`);
  }
  if (!isGraphQL17 && isObjectType(name)) {
    return misfit(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  const received = `${problem} with value ${inspect(value)}, received "${inspect(name)}"`;
  return misfit(isGraphQL17 ? `${received}, which is not a valid Object type name.` : `${received}.`);
}
