import { getVariableValues, isInputType, isNonNullType, typeFromAST } from 'graphql';
import type { ConstValueNode, GraphQLInputType, GraphQLSchema, VariableDefinitionNode } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import type { VariableValues } from '../run.ts';
import { coerceGiven, inputCoercionOf } from './input-coercion.ts';
import type { InputCoercion } from './input-coercion.ts';
import { lookAgain, prepareLiteral } from './literals.ts';
import { absent, put, valueOf } from './made-values.ts';
import type { Prepared } from './made-values.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** Coerces the variables of one operation, in the installed major's shape: see {@link InputCoercion}. Undefined: graphql-js decides. */
export type CoerceVariables = (inputs: Inputs) => VariableValues | undefined;

/** Works it out as far as it does not depend on the values. */
export function prepareVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): CoerceVariables {
  const variables: PreparedVariable[] = [];
  for (const definition of definitions) {
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    // In 16 an ordinary object holds the values, in which the name of its prototype means something else.
    if (!isInputType(type) || definition.variable.name.value === '__proto__') return leaveToGraphQLJS;
    variables.push(new PreparedVariable(schema, definition, type));
  }
  return (inputs) => coerceAll(variables, inputs);
}

function leaveToGraphQLJS(): undefined {
  // graphql-js has the words for errors, and for odd values.
}

function coerceAll(variables: readonly PreparedVariable[], inputs: Inputs): VariableValues | undefined {
  lookAgain();
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
      put(coerced, name, result);
      if (sources !== undefined) put(sources, name, { signature: variable.signature(), value });
    } else if (isGiven || !variable.addAbsent(coerced, sources)) {
      return undefined;
    }
  }
  return (sources === undefined ? coerced : { sources, coerced }) as unknown as VariableValues;
}

class PreparedVariable {
  readonly name: string;
  readonly coercion: InputCoercion;
  readonly #schema: GraphQLSchema;
  readonly #definition: VariableDefinitionNode;
  readonly #type: GraphQLInputType;
  readonly #nonNull: boolean;
  readonly #literal: ConstValueNode | undefined;
  #default: Prepared = absent;

  constructor(schema: GraphQLSchema, definition: VariableDefinitionNode, type: GraphQLInputType) {
    this.name = definition.variable.name.value;
    this.coercion = inputCoercionOf(type);
    this.#schema = schema;
    this.#definition = definition;
    this.#type = type;
    this.#nonNull = isNonNullType(type);
    this.#literal = definition.defaultValue;
  }

  /** The variable as graphql-js describes it. Each execution has its own. */
  signature(): Record<string, unknown> {
    const literal = this.#literal;
    return { name: this.name, type: this.#type, default: literal && { literal } };
  }

  /** Adds what there is of a variable that was not given: its default, if it has one. False: graphql-js decides. */
  addAbsent(coerced: Record<string, unknown>, sources: Record<string, unknown> | undefined): boolean {
    if (this.#literal === undefined && this.#nonNull) return false;
    const signature = sources && this.signature();
    if (sources !== undefined) put(sources, this.name, { signature });
    if (this.#literal === undefined) return true;
    // An object or a list is made anew each time.
    if (this.#default === absent) this.#default = prepareLiteral(this.#type, this.#literal);
    const value = valueOf(this.#default, undefined);
    if (value === undefined) return false;
    put(coerced, this.name, value);
    if (signature === undefined) return true;
    if (noteName === undefined) noteName = nameOfNote(this.#schema, this.#definition);
    if (noteName !== null) signature[noteName] = value;
    return true;
  }
}

/** What graphql 17 calls the value of a default, which it notes in the signature. Null: it does not. */
let noteName: string | null | undefined;

function nameOfNote(schema: GraphQLSchema, definition: VariableDefinitionNode): string | null {
  const { variableValues } = getVariableValues(schema, [definition], {});
  const signature = variableValues?.sources[definition.variable.name.value]?.signature ?? {};
  return Object.keys(signature).find((key) => !ordinaryNames.includes(key)) ?? null;
}

const ordinaryNames = ['name', 'type', 'default'];
