import { defaultTypeResolver, GraphQLError, isObjectType } from 'graphql';
import type { GraphQLAbstractType, GraphQLNamedType, GraphQLObjectType } from 'graphql';

import { inspect, nullOrThrow } from './errors.ts';
import { isGraphQL17 } from '../graphql-js/version.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { notPlain } from './leaf.ts';
import { completeChecked } from './objects.ts';
import { PromisedType } from '../pending.ts';
import type { Pending } from '../pending.ts';
import type { FieldRun, Position, Shape } from '../plan/planned-field.ts';
import { abandon, isThenable } from '../promises.ts';
import { mayBeRow, rowsOf } from './rows.ts';
import type { Rows } from './rows.ts';

/** Interfaces and unions: the object says which type it has. */
export class AbstractShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #type: GraphQLAbstractType;
  #known: Map<string, GraphQLObjectType> | undefined = undefined;

  constructor(type: GraphQLAbstractType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#type = type;
  }

  complete(position: Position, value: unknown): unknown {
    return this.completeAs(position, this.resolveType(position.fieldRun, value), value);
  }

  /** Completes an object by what it has answered when it was asked for its type. */
  completeAs(position: Position, answer: unknown, value: unknown): unknown {
    if (isThenable(answer)) return this.#completeLater(position, value, answer);
    return completeChecked(position, this.objectType(position.fieldRun, answer, value), value);
  }

  #completeLater(position: Position, value: unknown, answer: PromiseLike<unknown>): PromisedType {
    const proceed = (name: unknown): unknown => completeChecked(position, this.objectType(position.fieldRun, name, value), value);
    return new PromisedType(position, value, answer, proceed);
  }

  /** The answer to which type an object has: its name, a promise of it, or something wrong. */
  resolveType(fieldRun: FieldRun, value: unknown): unknown {
    const { run } = fieldRun;
    const resolveType = this.#type.resolveType ?? run.settings.typeResolver;
    if (resolveType === undefined) {
      // The first thing the default resolver would look at; it needs no `info` for it.
      const typename = typeof value === 'object' ? (value as { __typename?: unknown }).__typename : undefined;
      if (typeof typename === 'string') return typename;
    }
    return (resolveType ?? defaultTypeResolver)(value, run.contextValue, fieldRun.info, this.#type);
  }

  /** The object type of a name that was answered. Throws where the abstract type cannot be that. */
  objectType(fieldRun: FieldRun, name: unknown, value: unknown): GraphQLObjectType {
    const known = this.#known?.get(name as string);
    if (known !== undefined) return known;
    if (typeof name !== 'string') throw noTypeName(fieldRun, this.#type.name, { name, value });
    const type = assertPossibleType(fieldRun, this.#type, name);
    (this.#known ??= new Map()).set(type.name, type);
    return type;
  }
}

/** Makes the items of one list: as completeItem does, faster for types whose objects are made by code for rows. */
export class RowsByType {
  readonly #list: ListRun;
  readonly #shape: AbstractShape;
  // Of the item before, and of all: many lists have one type only.
  #lastName: string | undefined = undefined;
  #lastRows: Rows | undefined = undefined;
  #rows: Map<string, Rows> | undefined = undefined;

  constructor(list: ListRun, shape: AbstractShape) {
    this.#list = list;
    this.#shape = shape;
  }

  complete(item: unknown, index: number): unknown {
    const list = this.#list;
    if (!mayBeRow(item)) return completeItem(list, item, index);
    const shape = this.#shape;
    try {
      const answer = shape.resolveType(list.fieldRun, item);
      const rows = this.#rowsOf(answer, item);
      if (rows === undefined) return shape.completeAs(list.at(index), answer, item);
      return rows.makeNth(item, index);
    } catch (error) {
      abandon(item);
      return nullOrThrow(list.at(index), error);
    }
  }

  takePending(): readonly Pending[] | undefined {
    return this.#lastRows?.takePending();
  }

  /** Undefined where no code has been made for the type, where the object must be asked once more, and for what is no name. */
  #rowsOf(name: unknown, item: object): Rows | undefined {
    if (typeof name !== 'string') return undefined;
    if (name === this.#lastName) return this.#lastRows;
    const rows = this.#rows?.get(name) ?? this.#addRows(this.#shape.objectType(this.#list.fieldRun, name, item));
    if (rows === undefined) return undefined;
    this.#lastName = name;
    this.#lastRows = rows;
    return rows;
  }

  #addRows(type: GraphQLObjectType): Rows | undefined {
    if (typeof type.isTypeOf === 'function') return undefined;
    const rows = rowsOf(this.#list, this.#list.fieldRun.field.selectionFor(type), 0);
    if (rows !== undefined && this.#lastRows !== undefined)
      (this.#rows ??= new Map([[this.#lastName!, this.#lastRows]])).set(type.name, rows);
    return rows;
  }
}

/** The object type of that name, if the abstract type may have it. The messages are graphql-js's. */
function assertPossibleType({ run, field }: FieldRun, abstractType: GraphQLAbstractType, name: string): GraphQLObjectType {
  const type = run.settings.schema.getType(name);
  if (isObjectType(type) && run.settings.schema.isSubType(abstractType, type)) return type;
  throw new GraphQLError(wrongTypeMessage(abstractType.name, name, type), { nodes: run.nodesOf(field) });
}

function wrongTypeMessage(abstract: string, name: string, type: GraphQLNamedType | null | undefined): string {
  if (type === null || type === undefined)
    return `Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`;
  if (!isObjectType(type)) return `Abstract type "${abstract}" was resolved to a non-object type "${name}".`;
  return `Runtime Object type "${type.name}" is not a possible type for "${abstract}".`;
}

function noTypeName(
  { run, field }: FieldRun,
  abstract: string,
  { name, value }: { readonly name: unknown; readonly value: unknown },
): GraphQLError {
  const { parentType, fieldName } = field;
  const problem = `Abstract type "${abstract}" must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    const remedy = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return new GraphQLError(`${problem}. ${remedy}`, { nodes: run.nodesOf(field) });
  }
  if (!isGraphQL17 && isObjectType(name)) {
    return new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  const received = `${problem} with value ${inspect(value)}, received "${inspect(name)}"`;
  return new GraphQLError(isGraphQL17 ? `${received}, which is not a valid Object type name.` : `${received}.`);
}
