import { Kind } from 'graphql';
import type { ArgumentNode, GraphQLArgument, GraphQLInputType, GraphQLLeafType, NameNode, ValueNode } from 'graphql';

import { isObjectLike } from '../../shared/index.ts';
import { getArgumentValues, isGraphQL17 } from '../graphql-version.ts';
import { workOf } from '../costs.ts';
import type { Run } from '../run/run.ts';
import { copyInput } from './copied-inputs.ts';

/**
 * A literal, prepared for all runs (graphql-js coerces it again for every object): the value itself if it is immutable, else a
 * {@link PerRunValue}. Undefined: graphql-js decides, and writes the error messages.
 */
export type Prepared = unknown;

/** Makes the value for one execution. Undefined: graphql-js decides. */
type Make = (run: Run) => unknown;

/** A value that is made for each execution, because it is mutable or depends on variables. */
export abstract class PerRunValue {
  abstract make(run: Run): unknown;
}

class ValueMaker extends PerRunValue {
  readonly #work: number;
  readonly #make: Make;

  constructor(work: number, make: Make) {
    super();
    this.#work = work;
    this.#make = make;
  }

  make(run: Run): unknown {
    run.budget.spend(this.#work);
    return this.#make(run);
  }
}

/** Stands for a value that is not given. */
export const absent: unique symbol = Symbol('absent');

/** Returns the value for this run. */
export function valueOf(prepared: Prepared, run: Run): unknown {
  return prepared instanceof PerRunValue ? prepared.make(run) : prepared;
}

/** Adds a property to an object without a prototype. In a shared function V8 does this in 20 ns; in code that has seen one name, in 250. */
export function put(record: Record<string, unknown>, name: string, value: unknown): void {
  record[name] = value;
}

/** This is a class because an instance takes a third of the memory of a closure. */
export class VariableValue extends PerRunValue {
  readonly #name: string;
  readonly #nonNull: boolean;

  constructor(name: string, nonNull: boolean) {
    super();
    this.#name = name;
    this.#nonNull = nonNull;
  }

  make(run: Run): unknown {
    if (!Object.hasOwn(run.coerced, this.#name)) return absent;
    const value = run.coerced[this.#name];
    return value === null && this.#nonNull ? undefined : value;
  }
}

/** Creates a value that a function makes. `work` is its cost without that of its parts. */
export function perRun(work: number, make: Make): PerRunValue {
  return new ValueMaker(work, make);
}

/** Prepares a list. With `nonNull`, an item must not be null. */
export function listOf(items: readonly Prepared[], nonNull: boolean): PerRunValue {
  const work = workOf.inputValue + Math.floor(items.length / workOf.inputLeaves);
  if (!items.some((item) => item instanceof PerRunValue)) return perRun(work, () => items.slice());
  return perRun(work, (run) => {
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

/** A coerced default value, copied in each run. */
export function copiedDefault(type: GraphQLInputType, value: unknown): Prepared {
  if (!isObjectLike(value)) return value;
  return perRun(Math.ceil(sizeOf(value)), () =>
    Array.isArray(value) && !value.some(isObjectLike) ? value.slice() : copyInput(type, value),
  );
}

/**
 * A default, made once for each run and copied: a custom scalar's function was called for each row, although graphql-js calls it once for
 * each schema.
 */
export function sharedDefault(type: GraphQLInputType, made: Prepared): Prepared {
  if (!(made instanceof PerRunValue)) return made;
  return perRun(0, (run) => {
    const known = (run.root.defaults ??= new Map());
    let value = known.get(made);
    if (value === undefined) known.set(made, (value = made.make(run)));
    if (!isObjectLike(value)) return value;
    run.budget.spend(Math.ceil(sizeOf(value)));
    return copyInput(type, value);
  });
}

/** The work of copying a value of the schema. */
function sizeOf(value: unknown, seen: Set<object> = new Set<object>()): number {
  if (!isObjectLike(value) || seen.has(value)) return 1 / workOf.inputLeaves;
  seen.add(value);
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part, seen), workOf.inputValue);
}

/** The work of reading a literal. */
function sizeOfLiteral(node: ValueNode): number {
  if (node.kind === Kind.LIST) return node.values.reduce((sum: number, item) => sum + sizeOfLiteral(item), workOf.inputValue);
  if (node.kind === Kind.OBJECT) return node.fields.reduce((sum: number, { value }) => sum + sizeOfLiteral(value), workOf.inputValue);
  return 1 / workOf.inputLeaves;
}

/** graphql 17 renamed the function that a leaf type reads literals with. */
export const coerceLiteral = (isGraphQL17 ? 'coerceInputLiteral' : 'parseLiteral') as 'parseLiteral';

/** A literal of a custom scalar, whose function is called in every run, as by graphql-js. */
export function leafLiteral(type: GraphQLLeafType, node: ValueNode): PerRunValue {
  const work = Math.ceil(sizeOfLiteral(node));
  const names = hasLiteralCoercion(type) ? variablesIn(node) : [];
  // The older function takes variables as an argument.
  if (names.length === 0) return perRun(work, (run) => readLiteral(type, node, run));
  return perRun(work, (run) => {
    // graphql 17 copies variables into the literal: 200 aliases with a variable of 400 KB took 4.8 s and 300 MiB.
    for (const name of names) run.budget.spend(workOfVariable(name, run));
    return coerceWithGraphQLJS({ type }, node, run);
  });
}

/** The work of copying a variable's value, a unit for each value in it; calculated once for each run. */
function workOfVariable(name: string, run: Run): number {
  const works = (run.root.workOfVariables ??= new Map());
  let work = works.get(name);
  if (work === undefined) works.set(name, (work = valuesIn(run.coerced[name])));
  return work;
}

function valuesIn(value: unknown): number {
  return isObjectLike(value) ? Object.values(value).reduce((sum: number, part) => sum + valuesIn(part), 1) : 1;
}

/** False for scalars that have only the older function, even in 17. */
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

function variablesIn(node: ValueNode): string[] {
  if (node.kind === Kind.LIST) return node.values.flatMap(variablesIn);
  if (node.kind === Kind.OBJECT) return node.fields.flatMap(({ value }) => variablesIn(value));
  return node.kind === Kind.VARIABLE ? [node.name.value] : [];
}

/** graphql-js's value for an argument of this type or default. Undefined if it is invalid. */
export function coerceWithGraphQLJS(input: object, value?: ValueNode, run?: Run): unknown {
  const name: NameNode = { kind: Kind.NAME, value: 'value' };
  const given: ArgumentNode[] = value === undefined ? [] : [{ kind: Kind.ARGUMENT, name, value }];
  const args = [{ ...input, name: name.value } as GraphQLArgument];
  try {
    return getArgumentValues({ args } as never, { kind: Kind.FIELD, name, arguments: given }, run?.info.members.variableValues)[name.value];
  } catch {
    return undefined;
  }
}
