import { GraphQLError } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { inspect } from './errors.ts';
import { notPlain } from './leaf.ts';
import { placed, PromisedType } from '../pending.ts';
import { executeObject } from './rows.ts';
import type { PlannedField, Position, Selection, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';

/** Objects whose type is known from the schema. */
export class ObjectShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #type: GraphQLObjectType;

  constructor(type: GraphQLObjectType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#type = type;
  }

  /** The fields of every object of this shape below the field; undefined when the type has an `isTypeOf` to ask for each object. */
  selectionFor(field: PlannedField): Selection | undefined {
    return typeof this.#type.isTypeOf === 'function' ? undefined : field.selectionFor(this.#type);
  }

  complete(position: Position, value: unknown): unknown {
    return completeChecked(position, this.#type, value);
  }
}

/** An object of a type with `isTypeOf`, which answers at once or by a promise. */
export function completeChecked(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  const { fieldRun } = position;
  const { run, field } = fieldRun;
  if (typeof type.isTypeOf !== 'function') return completeObject(position, type, value);

  const accepted: unknown = type.isTypeOf(value, run.contextValue, fieldRun.info);
  const proceed = (isOfType: unknown): unknown => {
    if (!isOfType)
      throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes: run.nodesOf(field) });
    return completeObject(position, type, value);
  };
  return isThenable(accepted) ? new PromisedType(position, value, accepted, proceed) : proceed(accepted);
}

function completeObject(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  return placed(executeObject(position, position.fieldRun.field.selectionFor(type), value), position);
}
