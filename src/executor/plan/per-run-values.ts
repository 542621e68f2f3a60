import { Kind } from 'graphql';
import type { GraphQLInputType, GraphQLLeafType, ValueNode } from 'graphql';

import { isObjectLike } from '../../shared/index.ts';
import { coerceLiteral, isGraphQL17, coerceWithGraphQLJS } from '../graphql-version.ts';
import { workOf } from '../costs.ts';
import type { Run } from '../run/run.ts';
import { copyInput } from './copied-inputs.ts';

/**
 * A literal, prepared for all runs (graphql-js coerces it again for every object): the value itself if it is immutable, else a
 * {@link PerRunValue}. Undefined: graphql-js decides, and writes the error messages.
 */
export type Prepared = unknown;

/** A value that is made for each execution, because it is mutable or depends on variables. */
export class PerRunValue {
  /** The work of making it, with everything in it. */
  readonly work: number;
  /** Makes the value for a run. Returns undefined if graphql-js has to coerce the literal. */
  readonly make: (run: Run) => unknown;

  constructor(work: number, make: (run: Run) => unknown) {
    this.work = work;
    this.make = make;
  }
}

/** Marks a value that is not given. */
export const absent: unique symbol = Symbol('absent');

/** Returns the value for this run. Whoever calls it counts the work. */
export function valueOf(prepared: Prepared, run: Run): unknown {
  return prepared instanceof PerRunValue ? prepared.make(run) : prepared;
}

export function workIn(prepared: Prepared): number {
  return prepared instanceof PerRunValue ? prepared.work : 0;
}

/** The work of making an object or a list with this many values, not counting the work of its values. */
export function workOfContainer(values: number): number {
  return workOf.inputValue + values / workOf.inputLeaves;
}

/** Creates an object as graphql-js does: without a prototype in 17, an ordinary object in 16. */
export function createRecord(): Record<string, unknown> {
  return isGraphQL17 ? (Object.create(null) as Record<string, unknown>) : {};
}

/** Adds a property to an object without a prototype. In a shared function V8 does this in 20 ns; in code that has seen one name, in 250. */
export function put(record: Record<string, unknown>, name: string, value: unknown): void {
  record[name] = value;
}

export function variableValue(name: string, nonNull: boolean): PerRunValue {
  return new PerRunValue(0, ({ coerced }) => {
    if (!Object.hasOwn(coerced, name)) return absent;
    return coerced[name] === null && nonNull ? undefined : coerced[name];
  });
}

/** Prepares a list. With `nonNull`, an item must not be null. */
export function listOf(items: readonly Prepared[], nonNull: boolean): PerRunValue {
  const work = items.reduce((sum: number, item) => sum + workIn(item), workOfContainer(items.length));
  return new PerRunValue(work, (run) => {
    const list: unknown[] = [];
    for (let at = 0; at < items.length; at++) {
      let item = valueOf(items[at], run);
      if (item === absent) item = nonNull ? undefined : null;
      if (item === undefined) return undefined;
      list.push(item);
    }
    return list;
  });
}

/** A coerced default, which graphql-js shares between requests. Objects and lists are copied for each call, because resolvers can modify them. */
export function copiedDefault(type: GraphQLInputType, value: unknown): Prepared {
  return isObjectLike(value) ? new PerRunValue(workOfCopy(value), () => copyInput(type, value)) : value;
}

/** The work of copying a value. */
function workOfCopy(value: unknown, seen: Set<object> = new Set<object>()): number {
  if (!isObjectLike(value) || seen.has(value)) return 0;
  seen.add(value);
  const parts = Object.values(value);
  const work = Array.isArray(value) ? workOfContainer(parts.length) : workOf.inputValue + parts.length * workOf.inputDefault;
  return parts.reduce((sum: number, part) => sum + workOfCopy(part, seen), work);
}

/** A literal of a custom scalar, whose function is called in every run, as by graphql-js. */
export function leafLiteral(type: GraphQLLeafType, node: ValueNode): PerRunValue {
  const values = valuesIn(node);
  const variables = values.filter((value) => value.kind === Kind.VARIABLE);
  // The older function takes variables as an argument.
  if (!hasLiteralCoercion(type) || variables.length === 0) return new PerRunValue(values.length, (run) => readLiteral(type, node, run));
  return new PerRunValue(values.length, (run) => {
    // graphql 17 copies variables into the literal: 200 aliases with a variable of 400 KB took 4.8 s and 300 MiB.
    for (const { name } of variables) run.budget.spend(workOf.inputLeaves * workOfCopy(run.coerced[name.value]));
    return coerceWithGraphQLJS({ type }, node, run.info.members.variableValues);
  });
}

/** A literal with all literals in it. */
function valuesIn(node: ValueNode): readonly ValueNode[] {
  if (node.kind === Kind.LIST) return [node, ...node.values.flatMap(valuesIn)];
  return node.kind === Kind.OBJECT ? [node, ...node.fields.flatMap(({ value }) => valuesIn(value))] : [node];
}

/** False for scalars that have only `parseLiteral`, the older function, as some have even with graphql 17. */
function hasLiteralCoercion(type: GraphQLLeafType): boolean {
  return isGraphQL17 && type[coerceLiteral] !== undefined;
}

/** The value of a literal. Undefined if it is invalid. */
export function readLiteral(type: GraphQLLeafType, node: ValueNode, run?: Run): unknown {
  try {
    return hasLiteralCoercion(type) ? type[coerceLiteral](node, undefined) : type.parseLiteral(node, run?.coerced);
  } catch {
    return undefined;
  }
}
