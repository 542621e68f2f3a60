import { GraphQLError } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { executeFields } from '../fields.ts';
import { inspect } from '../inspect.ts';
import { notPlain } from './leaf.ts';
import { fieldPathOf } from '../path.ts';
import type { Path } from '../path.ts';
import { placed, PromisedType } from '../pending.ts';
import type { PlannedField, Selection, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';
import { resolveInfo } from '../resolve-info.ts';
import type { Run } from '../run.ts';

/** Objects whose type is known from the schema. */
export class ObjectShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #type: GraphQLObjectType;

  constructor(type: GraphQLObjectType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#type = type;
  }

  /** The fields of every object of this shape below the field; undefined when the type wants to see each object first. */
  selectionFor(field: PlannedField): Selection | undefined {
    return typeof this.#type.isTypeOf === 'function' ? undefined : field.selectionFor(this.#type);
  }

  complete(run: Run, field: PlannedField, value: unknown, path: Path): unknown {
    const type = this.#type;
    if (typeof type.isTypeOf === 'function') return completeChecked(run, field, { shape: this, type, path }, value);
    return placed(executeFields(run, field.selectionFor(type), value, path), field, this, path);
  }
}

/** The position and the type of an object that is being completed. */
export interface ObjectPosition {
  readonly shape: Shape;
  readonly type: GraphQLObjectType;
  readonly path: Path;
}

/** An object whose type may want to see it first: `isTypeOf`, at once or by a promise. */
export function completeChecked(run: Run, field: PlannedField, position: ObjectPosition, value: unknown): unknown {
  const { shape, type, path } = position;
  const execute = (): unknown => placed(executeFields(run, field.selectionFor(type), value, path), field, shape, path);
  if (typeof type.isTypeOf !== 'function') return execute();

  const accepted: unknown = type.isTypeOf(value, run.contextValue, resolveInfo(run, field, fieldPathOf(path)));
  const proceed = (isOfType: unknown): unknown => {
    if (!isOfType) throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes: field.nodes });
    return execute();
  };
  return isThenable(accepted) ? new PromisedType(run, field, shape, path, accepted, proceed) : proceed(accepted);
}
