import { GraphQLError, isInputType, isNonNullType, print, typeFromAST } from 'graphql';
import type { ConstValueNode, GraphQLInputType, GraphQLSchema, VariableDefinitionNode } from 'graphql';

import { copyOfJSON } from '../../shared/index.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import type { VariableValues } from '../run/shared-info.ts';
import type { Run } from '../run/run.ts';
import { coerceGiven, inputCoercionOf, ownedInput } from './input-coercion.ts';
import type { InputCoercion } from './input-coercion.ts';
import { prepareLiteral } from './literals.ts';
import { absent, createRecord, put, valueOf, workIn } from './per-run-values.ts';
import type { Prepared } from './per-run-values.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** Coerces the variables of one operation, in the installed major's shape: see {@link InputCoercion}. */
export type CoerceVariables = (inputs: Inputs, run: Run) => VariableValues | UncoercedVariable;

/** A variable whose value is invalid, or so unusual that graphql-js decides whether it is. */
export class UncoercedVariable {
  readonly #definition: VariableDefinitionNode;

  constructor(definition: VariableDefinitionNode) {
    this.#definition = definition;
  }

  /** The error for values that are too large to explain what is invalid. */
  error(): GraphQLError {
    const { variable, type } = this.#definition;
    const message = `Variable "$${variable.name.value}" has no valid value of type "${print(type)}". Send smaller variables to see why.`;
    return new GraphQLError(message, { nodes: this.#definition });
  }
}

export function prepareVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[]): CoerceVariables {
  const variables: PreparedVariable[] = [];
  for (const definition of definitions) {
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    // graphql 16 puts the values into an ordinary object, where `__proto__` is special.
    if (!isInputType(type) || definition.variable.name.value === '__proto__') return () => new UncoercedVariable(definition);
    variables.push(new PreparedVariable(definition, type));
  }
  return (inputs, run) => coerceAll(variables, inputs, run);
}

function coerceAll(variables: readonly PreparedVariable[], inputs: Inputs, run: Run): VariableValues | UncoercedVariable {
  // 16 has an ordinary object, and no sources.
  const coerced = createRecord();
  const sources = isGraphQL17 ? createRecord() : undefined;
  for (const variable of variables) {
    const { name, coercion } = variable;
    const isGiven = Object.hasOwn(inputs, name);
    const given = isGiven ? inputs[name] : undefined;
    if (given !== undefined) {
      const value = ownedInput(coercion, given, run);
      const result = coerceGiven(coercion, value, run);
      if (result === undefined) return new UncoercedVariable(variable.definition);
      put(coerced, name, result);
      // Only valid values are copied: 70,000 unknown keys take 22 ms.
      const source = isGraphQL17 && run.settings.copiesVariables === true && value === given ? copyOfJSON(value) : value;
      if (sources !== undefined) put(sources, name, { signature: variable.signature(), value: source });
    } else if (isGiven || !variable.addAbsent(coerced, sources, run)) {
      return new UncoercedVariable(variable.definition);
    }
  }
  return (sources === undefined ? coerced : { sources, coerced }) as unknown as VariableValues;
}

class PreparedVariable {
  readonly name: string;
  readonly coercion: InputCoercion;
  readonly definition: VariableDefinitionNode;
  readonly #type: GraphQLInputType;
  readonly #nonNull: boolean;
  readonly #literal: ConstValueNode | undefined;
  #default: Prepared = absent;

  constructor(definition: VariableDefinitionNode, type: GraphQLInputType) {
    this.name = definition.variable.name.value;
    this.coercion = inputCoercionOf(type);
    this.definition = definition;
    this.#type = type;
    this.#nonNull = isNonNullType(type);
    this.#literal = definition.defaultValue;
  }

  /** The variable as graphql-js describes it. Not shared between executions. */
  signature(): Record<string, unknown> {
    const literal = this.#literal;
    return { name: this.name, type: this.#type, default: literal && { literal } };
  }

  /** Adds the default of a variable that is not given, if it has one. Returns false if graphql-js has to coerce the variable. */
  addAbsent(coerced: Record<string, unknown>, sources: Record<string, unknown> | undefined, run: Run): boolean {
    if (this.#literal === undefined && this.#nonNull) return false;
    if (sources !== undefined) put(sources, this.name, { signature: this.signature() });
    if (this.#literal === undefined) return true;
    if (this.#default === absent) this.#default = prepareLiteral(this.#type, this.#literal);
    run.budget.spend(workIn(this.#default));
    const value = valueOf(this.#default, run);
    if (value === undefined) return false;
    put(coerced, this.name, value);
    return true;
  }
}
