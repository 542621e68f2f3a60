import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { misfit } from '../errors.ts';
import { inspect } from '../inspect.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { placed, PromisedType } from '../pending.ts';
import { executeObject } from '../rows/rows.ts';
import type { ObservedTypeCall } from '../observer.ts';
import { Shape } from '../../plan/planned-field.ts';
import type { FieldRun, PlannedField, Position, Selection, TypeCheck } from '../../plan/planned-field.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** Objects whose type is known from the schema. */
export class ObjectShape extends Shape {
  readonly #type: GraphQLObjectType;

  constructor(type: GraphQLObjectType, nonNull: boolean) {
    super(nonNull);
    this.#type = type;
  }

  override selectionFor(field: PlannedField): Selection {
    return field.selectionFor(this.#type);
  }

  override typeCheck(): TypeCheck | undefined {
    return typeCheckOf(this.#type);
  }

  complete(position: Position, value: unknown): unknown {
    return completeChecked(position, this.#type, value);
  }
}

/** Completes an object, after `isTypeOf` if its type has one. */
export function completeChecked(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  const { fieldRun } = position;
  const check = typeCheckOf(type);
  if (check === undefined) return completeObject(position, type, value);
  // graphql 16 also reports a condition without a value before it calls `isTypeOf`.
  if (!isGraphQL17) fieldRun.field.selectionFor(type, fieldRun.run);
  return check.complete(position, value, check.isOf(fieldRun, value));
}

export function typeCheckOf(type: GraphQLObjectType): TypeCheck | undefined {
  if (typeof type.isTypeOf !== 'function') return undefined;
  return {
    isOf: (fieldRun, value) => observeType(fieldRun, { type, value }, (info) => type.isTypeOf!(value, fieldRun.run.contextValue, info)),
    complete: (position, value, accepted) => {
      const proceed = (isOfType: unknown): unknown => {
        if (!isOfType) throw misfit(`Expected value of type "${type.name}" but got: ${inspect(value)}.`);
        return completeObject(position, type, value);
      };
      return isPromiseLike(accepted) ? new PromisedType(position, value, accepted, proceed) : proceed(accepted);
    },
  };
}

/** Calls a `resolveType` or an `isTypeOf`. */
export function observeType(
  { run, info }: FieldRun,
  call: Pick<ObservedTypeCall, 'type' | 'value'>,
  resolve: (info: GraphQLResolveInfo) => unknown,
): unknown {
  return run.observer?.type === undefined ? resolve(info) : run.observer.type({ ...call, info }, () => resolve(info));
}

function completeObject(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  return placed(executeObject(position, position.fieldRun.field.selectionFor(type, position.fieldRun.run), value), position);
}
