import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { misfit } from '../errors.ts';
import { inspect } from '../inspect.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { PromisedType } from '../pending.ts';
import { executeFields } from '../fields.ts';
import type { ObservedTypeCall } from '../observer.ts';
import { Shape } from '../../plan/planned-field.ts';
import type { FieldRun, Position, Selection } from '../../plan/planned-field.ts';
import { workOf } from '../../costs.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** Objects of one type below one field. */
export class ObjectShape extends Shape {
  readonly #type: GraphQLObjectType;
  /** True for the second and each further type of an interface's objects. */
  readonly #isFurther: boolean;
  #selection: Selection | undefined = undefined;

  constructor(type: GraphQLObjectType, nonNull: boolean, isFurther = false) {
    super(nonNull);
    this.#type = type;
    this.#isFurther = isFurther;
  }

  complete(position: Position, value: unknown): unknown {
    // Separate, because a function with a closure allocates a context even where it does not create the closure.
    return typeof this.#type.isTypeOf === 'function' ? this.#completeChecked(position, value) : this.#execute(position, value);
  }

  /** Calls `isTypeOf` first. */
  #completeChecked(position: Position, value: unknown): unknown {
    const { fieldRun } = position;
    const type = this.#type;
    // graphql 16 also reports a condition without a value before it calls `isTypeOf`.
    if (!isGraphQL17) this.#collect(fieldRun);
    const accepted = observeType(fieldRun, { type, value }, (info) => type.isTypeOf!(value, fieldRun.run.contextValue, info));
    const proceed = (isOfType: unknown): unknown => {
      if (!isOfType) throw misfit(`Expected value of type "${type.name}" but got: ${inspect(value)}.`);
      return this.#execute(position, value);
    };
    return isPromiseLike(accepted) ? new PromisedType(position, value, accepted, proceed) : proceed(accepted);
  }

  #execute(position: Position, value: unknown): unknown {
    const { run } = position.fieldRun;
    const selection = this.#selection ?? this.#collect(position.fieldRun);
    return executeFields(run, selection, value, position);
  }

  /** The fields to run for an object. Collected when first needed: for further types, that is work of the run. */
  #collect({ field, run }: FieldRun): Selection {
    if (this.#selection !== undefined) return this.#selection;
    this.#selection = field.selectionFor(this.#type);
    if (this.#isFurther) run.budget.spend((this.#selection.fields.length + 1) * workOf.plannedField);
    return this.#selection;
  }
}

/** Calls a `resolveType` or an `isTypeOf`. */
export function observeType(
  { run, info }: FieldRun,
  call: Pick<ObservedTypeCall, 'type' | 'value'>,
  resolve: (info: GraphQLResolveInfo) => unknown,
): unknown {
  return run.observer?.type === undefined ? resolve(info) : run.observer.type({ ...call, info }, () => resolve(info));
}
