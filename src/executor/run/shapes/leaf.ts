import { isEnumType } from 'graphql';
import type { GraphQLLeafType } from 'graphql';

import { explain, misfit } from '../errors.ts';
import { inspect } from '../inspect.ts';
import { notPlain, plainKindOf, plainValue } from '../../built-in-scalars.ts';
import { coerceOutput, isGraphQL17 } from '../../graphql-version.ts';
import { Promised } from '../pending.ts';
import { Shape } from '../../plan/planned-field.ts';
import type { Position } from '../../plan/planned-field.ts';
import { isGraphQLError, isPromiseLike } from '../../../shared/index.ts';

/** Scalars and enums. */
class LeafShape extends Shape {
  readonly #type: GraphQLLeafType;

  constructor(type: GraphQLLeafType, nonNull: boolean, plain: number) {
    super(nonNull, plain);
    this.#type = type;
  }

  complete(position: Position, value: unknown): unknown {
    const { run } = position.fieldRun;
    const plain = plainValue(this.plain, value);
    if (plain !== undefined) {
      run.budget.growByLeaf(plain);
      return plain;
    }
    const coerced = this.#coerce(position, value);
    if (coerced === null || coerced === undefined) throw new Error(returned(this.#type, value, coerced, 'non-nullable value'));
    // graphql-js also awaits asynchronous conversions.
    if (isGraphQL17 ? coerced instanceof Promise : isPromiseLike(coerced))
      return new PromisedLeaf(position, coerced as Promise<unknown>, (settled) => assertJSON(this.#type, value, settled));
    assertJSON(this.#type, value, coerced);
    run.budget.growByLeaf(coerced);
    return coerced;
  }

  /** GraphQLErrors of scalars of the user are thrown on purpose, those of graphql-js are not. */
  #coerce(position: Position, value: unknown): unknown {
    try {
      return this.#type[coerceOutput](value);
    } catch (error) {
      if (isGraphQLError(error) && (this.plain !== notPlain || isEnumType(this.#type)))
        throw misfit(error.message + explain(position, { value }));
      throw error;
    }
  }
}

/** The shape of a scalar or an enum. */
export function leafShapeOf(type: GraphQLLeafType, nonNull: boolean): Shape {
  return new LeafShape(type, nonNull, plainKindOf(type, coerceOutput));
}

class PromisedLeaf extends Promised {
  readonly #assert: (value: unknown) => void;

  constructor(position: Position, promise: Promise<unknown>, assert: (value: unknown) => void) {
    super(position, promise);
    this.#assert = assert;
  }

  protected complete(value: unknown): unknown {
    this.#assert(value);
    return value;
  }
}

/**
 * Throws for a bigint, with which the whole answer would fail, and for a symbol or a function, which would be missing from it. Those
 * inside objects are not searched for.
 */
function assertJSON(type: GraphQLLeafType, value: unknown, coerced: unknown): void {
  const kind = typeof coerced;
  if (kind !== 'bigint' && kind !== 'symbol' && kind !== 'function') return;
  if (typeof (coerced as { toJSON?: unknown }).toJSON !== 'function')
    throw new Error(returned(type, value, coerced, 'a value that JSON has'));
}

function returned(type: GraphQLLeafType, value: unknown, coerced: unknown, expected: string): string {
  return `Expected \`${inspect(type)}.${coerceOutput}(${inspect(value)})\` to return ${expected}, returned: ${inspect(coerced)}`;
}
