import { getArgumentValues, Kind } from 'graphql';
import type { ArgumentNode, GraphQLArgument, GraphQLInputType, GraphQLLeafType, NameNode, ValueNode } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import type { Run } from '../run.ts';
import { ownValue } from './own-defaults.ts';

/**
 * The value of a literal, as far as it is known before a run: the value itself where nobody can write into it, else a
 * {@link MadeValue}. Undefined: graphql-js decides, and finds the words for what is wrong.
 *
 * Why: graphql-js reads the types and the nodes again for every object that a field is run on.
 */
export type Prepared = unknown;

/** Makes the value for one execution. Undefined: graphql-js decides. Without a run there are no variables. */
type Make = (run: Run | undefined) => unknown;

/** A value that is made for each execution: a resolver can write into it, or it depends on variables. */
export abstract class MadeValue {
  abstract make(run: Run | undefined): unknown;
}

class ValueMaker extends MadeValue {
  readonly #make: Make;

  constructor(make: Make) {
    super();
    this.#make = make;
  }

  make(run: Run | undefined): unknown {
    return this.#make(run);
  }
}

/** In place of a value: nothing is given. */
export const absent: unique symbol = Symbol('absent');

/** This run's value: absent where nothing is given. */
export function valueOf(prepared: Prepared, run: Run | undefined): unknown {
  return prepared instanceof MadeValue ? prepared.make(run) : prepared;
}

/**
 * Adds a property to an object without prototype. All of them are added here: V8 adds to such an object, a hash table, in 20 ns where
 * it has seen many names at the place in the code, and in 250 where it has seen one.
 */
export function put(record: Record<string, unknown>, name: string, value: unknown): void {
  record[name] = value;
}

/** There are many of them: a class takes a third of the memory of a function. */
export class VariableValue extends MadeValue {
  readonly #name: string;
  readonly #nonNull: boolean;

  constructor(name: string, nonNull: boolean) {
    super();
    this.#name = name;
    this.#nonNull = nonNull;
  }

  make(run: Run | undefined): unknown {
    if (run === undefined || !Object.hasOwn(run.coerced, this.#name)) return absent;
    const value = run.coerced[this.#name];
    return value === null && this.#nonNull ? undefined : value;
  }
}

/** A value that this function makes. */
export function made(make: Make): MadeValue {
  return new ValueMaker(make);
}

/** `nonNull`: an item may not be null. */
export function listOf(items: readonly Prepared[], nonNull: boolean): MadeValue {
  if (!items.some((item) => item instanceof MadeValue)) return made(() => items.slice());
  return made((run) => {
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

/** A default that the schema has as resolvers get it. */
export function ownCopyOf(type: GraphQLInputType, value: unknown): Prepared {
  if (!isObject(value)) return value;
  return made(() => (Array.isArray(value) && !value.some(isObject) ? value.slice() : ownValue(type, value)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** graphql 17 renamed the function that a leaf type reads literals with. */
export const coerceLiteral = (isGraphQL17 ? 'coerceInputLiteral' : 'parseLiteral') as 'parseLiteral';

/** Of a scalar with functions of its own, which are called in every run, as by graphql-js. */
export function leafLiteral(type: GraphQLLeafType, node: ValueNode): MadeValue {
  // graphql 17 puts variables into the literal; the older function gets them beside it.
  return made(
    hasLiteralCoercion(type) && hasVariables(node) ? (run) => askGraphQLJS({ type }, node, run) : (run) => readLiteral(type, node, run),
  );
}

/** In 17 a scalar may have the older function alone. */
function hasLiteralCoercion(type: GraphQLLeafType): boolean {
  return isGraphQL17 && type[coerceLiteral] !== undefined;
}

/** The value of a literal, as the type has it. Undefined when there is only an error. */
export function readLiteral(type: GraphQLLeafType, node: ValueNode, run?: Run): unknown {
  try {
    return hasLiteralCoercion(type) ? type[coerceLiteral](node, undefined) : type.parseLiteral(node, run?.coerced);
  } catch {
    return undefined;
  }
}

function hasVariables(node: ValueNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(hasVariables);
  return node.kind === Kind.OBJECT ? node.fields.some(({ value }) => hasVariables(value)) : node.kind === Kind.VARIABLE;
}

/** The value that graphql-js has for an argument of this type or default. Undefined when it has only an error. */
export function askGraphQLJS(input: object, value?: ValueNode, run?: Run): unknown {
  const name: NameNode = { kind: Kind.NAME, value: 'value' };
  const given: ArgumentNode[] = value === undefined ? [] : [{ kind: Kind.ARGUMENT, name, value }];
  const args = [{ ...input, name: name.value } as GraphQLArgument];
  try {
    return getArgumentValues({ args } as never, { kind: Kind.FIELD, name, arguments: given }, run?.infoParts().variableValues)[name.value];
  } catch {
    return undefined;
  }
}
