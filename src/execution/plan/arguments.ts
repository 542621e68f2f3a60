import { getArgumentValues } from 'graphql';
import type { FieldNode, GraphQLField } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import type { Run } from '../run.ts';
import { areCurrent, prepareGiven, PreparedInput } from './literals.ts';
import { absent, MadeValue, put, valueOf } from './made-values.ts';
import type { Prepared } from './made-values.ts';
import { ownValue } from './own-defaults.ts';
import type { PlannedArguments, PlannedField } from './planned-field.ts';

export type ArgumentValues = Record<string, unknown>;

class ArgumentPlan implements PlannedArguments {
  readonly areConstant: boolean;
  readonly #known: KnownArguments;
  /** In the order of the schema. Undefined: graphql-js works them out each time. */
  readonly #given: readonly Prepared[] | undefined;

  constructor(known: KnownArguments, { arguments: nodes = [] }: Pick<FieldNode, 'arguments'>) {
    this.#known = known;
    this.#given = prepareGiven(known.list, nodes);
    this.areConstant = this.#given?.some(isMade) === false;
  }

  isCurrent(): boolean {
    return this.#known.isCurrent();
  }

  valuesFor(node: FieldNode, run: Run): ArgumentValues {
    return this.#make(run) ?? this.#askGraphQLJS(node, run);
  }

  /** Most often it throws. What it accepts is of a document that was not validated, and may have defaults that it hands to every request. */
  #askGraphQLJS(node: FieldNode, run: Run): ArgumentValues {
    const { definition, list } = this.#known;
    // Fragment variables are an experiment that plans leave to graphql-js; 16 has three parameters.
    const values = getArgumentValues(definition, node, run.infoParts().variableValues, undefined, run.settings.hideSuggestions);
    for (const { name, type } of list) if (Object.hasOwn(values, name)) values[name] = ownValue(type, values[name]);
    return values;
  }

  /** Undefined when a variable is not as it should be: graphql-js knows the words for it. */
  #make(run: Run): ArgumentValues | undefined {
    if (this.#given === undefined) return undefined;
    const { list } = this.#known;
    const values = noValues();
    for (let at = 0; at < list.length; at++) {
      let value = valueOf(this.#given[at], run);
      if (value === absent) value = valueOf(list[at]!.whenAbsent(), run);
      if (value === undefined) return undefined;
      if (value !== absent) put(values, list[at]!.name, value);
    }
    return values;
  }
}

function isMade(value: Prepared): boolean {
  return value instanceof MadeValue;
}

/** What need be known once of the arguments of a field, whatever documents give. */
class KnownArguments {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly list: readonly PreparedInput[];
  /** For the nodes that give none. */
  #whenNoneIsGiven: ArgumentPlan | undefined = undefined;

  constructor(definition: GraphQLField<unknown, unknown>) {
    this.definition = definition;
    this.list = definition.args.map((argument) => new PreparedInput(argument));
  }

  isCurrent(): boolean {
    const { args } = this.definition;
    if (args.length !== this.list.length) return false;
    for (let at = 0; at < args.length; at++) if (this.list[at]!.input !== args[at]) return false;
    return areCurrent(this.list);
  }

  planFor(node: FieldNode): ArgumentPlan {
    if (node.arguments !== undefined && node.arguments.length > 0) return new ArgumentPlan(this, node);
    return (this.#whenNoneIsGiven ??= new ArgumentPlan(this, {}));
  }
}

const knownArguments = new WeakMap<GraphQLField<unknown, unknown>, KnownArguments>();

/** Undefined for a field that takes no arguments. */
export function planArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): PlannedArguments | undefined {
  if (definition.args.length === 0) return undefined;
  let known = knownArguments.get(definition);
  if (known?.isCurrent() !== true) knownArguments.set(definition, (known = new KnownArguments(definition)));
  return known!.planFor(node);
}

export function argumentValues({ arguments: planned, node }: Pick<PlannedField, 'arguments' | 'node'>, run: Run): ArgumentValues {
  return planned === undefined ? noValues() : planned.valuesFor(node, run);
}

/** graphql-js 17 gives arguments in an object without prototype, 16 in an ordinary one. Resolvers can tell. */
function noValues(): ArgumentValues {
  return isGraphQL17 ? (Object.create(null) as ArgumentValues) : {};
}
