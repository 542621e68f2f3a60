import { getNamedType, getVariableValues, isInputObjectType, isInputType, isNonNullType, typeFromAST } from 'graphql';
import type { GraphQLInputType, GraphQLSchema, ValueNode, VariableDefinitionNode } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import { coercedOf } from '../run.ts';
import type { VariableValues } from '../run.ts';
import { coerceGiven, inputCoercionOf } from './input-coercion.ts';
import type { InputCoercion } from './input-coercion.ts';
import { defaultsInLiteral } from './own-defaults.ts';
import type { OwnDefaults } from './own-defaults.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** Coerces the variables of one operation, in the installed major's shape: see {@link InputCoercion}. Undefined: graphql-js decides. */
export type CoerceVariables = (inputs: Inputs) => VariableValues | undefined;

/** Works it out as far as it does not depend on the values. */
export function prepareVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): CoerceVariables {
  const variables: PreparedVariable[] = [];
  // Here each default is asked for apart. An operation that runs once has them sooner from graphql-js, all at once; but those in an
  // input object it would share with other requests.
  let isLeft = definitions.some(({ defaultValue }) => defaultValue !== undefined);
  for (const definition of definitions) {
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    // In 16 an ordinary object holds the values, in which the name of its prototype means something else.
    if (!isInputType(type) || definition.variable.name.value === '__proto__') return leaveToGraphQLJS;
    isLeft &&= !isInputObjectType(getNamedType(type));
    variables.push(new PreparedVariable(schema, definition, type));
  }
  return (inputs) => {
    if (!isLeft) return coerceAll(variables, inputs);
    isLeft = false;
    return undefined;
  };
}

function leaveToGraphQLJS(): undefined {
  // graphql-js has the words for errors, and for odd values.
}

function coerceAll(variables: readonly PreparedVariable[], inputs: Inputs): VariableValues | undefined {
  // graphql-js 16 has an ordinary object, and nothing of where the values come from.
  const coerced = (isGraphQL17 ? Object.create(null) : {}) as Record<string, unknown>;
  const sources = (isGraphQL17 ? Object.create(null) : undefined) as Record<string, unknown> | undefined;
  for (const variable of variables) {
    const { name } = variable;
    const isGiven = Object.hasOwn(inputs, name);
    const value = isGiven ? inputs[name] : undefined;
    if (value !== undefined) {
      const result = coerceGiven(variable.coercion, value);
      if (result === undefined) return undefined;
      coerced[name] = result;
      if (sources !== undefined) sources[name] = { signature: variable.signature(), value };
    } else if (isGiven || !variable.addAbsent(coerced, sources)) {
      return undefined;
    }
  }
  return (sources === undefined ? coerced : { sources, coerced }) as unknown as VariableValues;
}

/** The default of a variable has none in it. */
const noVariables = {};

class PreparedVariable {
  readonly name: string;
  readonly coercion: InputCoercion;
  readonly #schema: GraphQLSchema;
  readonly #definition: VariableDefinitionNode;
  readonly #type: GraphQLInputType;
  readonly #default: ValueNode | undefined;
  #constant: AbsentVariable | undefined = undefined;
  /** Null: there are no defaults in the default. Undefined: not looked yet. */
  #ownDefaults: OwnDefaults | null | undefined = undefined;

  constructor(schema: GraphQLSchema, definition: VariableDefinitionNode, type: GraphQLInputType) {
    this.name = definition.variable.name.value;
    this.coercion = inputCoercionOf(type);
    this.#schema = schema;
    this.#definition = definition;
    this.#type = type;
    this.#default = definition.defaultValue;
  }

  /** The variable as graphql-js describes it. Each execution has its own. */
  signature(): object {
    const literal = this.#default;
    return { name: this.name, type: this.#type, default: literal && { literal } };
  }

  /** Adds what there is of a variable that was not given: its default, if it has one. False: graphql-js decides. */
  addAbsent(coerced: Record<string, unknown>, sources: Record<string, unknown> | undefined): boolean {
    if (this.#default === undefined) {
      if (isNonNullType(this.#type)) return false;
      if (sources !== undefined) sources[this.name] = { signature: this.signature() };
      return true;
    }
    const { constant, signature } = this.#constant ?? this.#askForDefault();
    if (constant === undefined) return false;
    coerced[this.name] = constant;
    if (sources !== undefined) sources[this.name] = { signature: { ...signature, default: { literal: this.#default } } };
    return true;
  }

  /** By graphql-js, which notes the value in the signature. One that is an object or a list is made anew each time. */
  #askForDefault(): AbsentVariable {
    const values = getVariableValues(this.#schema, [this.#definition], {}) as unknown as Readonly<
      Record<string, VariableValues | undefined>
    >;
    const own = isGraphQL17 ? values['variableValues'] : values['coerced'];
    const constant = own && coercedOf(own)[this.name];
    const absent = { constant, signature: isGraphQL17 ? own?.sources[this.name]?.signature : undefined };
    if (typeof constant !== 'object' || constant === null) return (this.#constant = absent);
    this.#ownDefaults ??= defaultsInLiteral(this.#type, this.#default!) ?? null;
    return this.#ownDefaults === null ? absent : { ...absent, constant: this.#ownDefaults(constant, noVariables) };
  }
}

/** A variable that was not given: undefined where graphql-js decides. */
interface AbsentVariable {
  readonly constant: unknown;
  readonly signature: object | undefined;
}
