import { GraphQLError } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { inspect } from './errors.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { placed, PromisedType } from '../pending.ts';
import { executeObject } from './rows.ts';
import { Shape } from '../plan/planned-field.ts';
import type { PlannedField, Position, Selection } from '../plan/planned-field.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** Objects whose type is known from the schema. */
export class ObjectShape extends Shape {
  readonly #type: GraphQLObjectType;

  constructor(type: GraphQLObjectType, nonNull: boolean) {
    super(nonNull);
    this.#type = type;
  }

  override selectionFor(field: PlannedField): Selection | undefined {
    return typeof this.#type.isTypeOf === 'function' ? undefined : field.selectionFor(this.#type);
  }

  complete(position: Position, value: unknown): unknown {
    return completeChecked(position, this.#type, value);
  }
}

/** Completes an object, after `isTypeOf` if its type has one. */
export function completeChecked(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  const { fieldRun } = position;
  const { run, field } = fieldRun;
  if (typeof type.isTypeOf !== 'function') return completeObject(position, type, value);
  // As graphql 16, which reports a condition without a value before it calls `isTypeOf`.
  if (!isGraphQL17) field.selectionFor(type);
  const accepted: unknown = type.isTypeOf(value, run.contextValue, fieldRun.info);
  const proceed = (isOfType: unknown): unknown => {
    if (!isOfType)
      throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes: run.info.nodesOf(field) });
    return completeObject(position, type, value);
  };
  return isPromiseLike(accepted) ? new PromisedType(position, value, accepted, proceed) : proceed(accepted);
}

function completeObject(position: Position, type: GraphQLObjectType, value: unknown): unknown {
  return placed(executeObject(position, position.fieldRun.field.selectionFor(type), value), position);
}
