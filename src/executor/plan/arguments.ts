import { Kind } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLInputType, GraphQLObjectType } from 'graphql';

import { getArgumentValues, isGraphQL17 } from '../graphql-version.ts';
import type { Run } from '../run/run.ts';
import { prepareGiven, PreparedInput, prepareLiteral } from './literals.ts';
import { absent, PerRunValue, put, valueOf } from './per-run-values.ts';
import type { Prepared } from './per-run-values.ts';
import { copyInput } from './copied-inputs.ts';

export type ArgumentValues = Record<string, unknown>;

/** The prepared arguments of a field. */
export interface PlannedArguments {
  /** True when they do not depend on variables. */
  readonly areConstant: boolean;
  /** The values for one call, in a new object. Throws graphql-js's error if one is invalid. */
  valuesFor(node: FieldNode, run: Run): ArgumentValues;
}

/** The number of items of a page when the client gives none. */
export interface PageDefault {
  /** The arguments that give it. */
  readonly names: readonly string[];
  /** The argument that gets the number. */
  readonly name: string;
  readonly size: number;
}

/** Defaults that arguments have in addition to those of the schema. */
export interface PageDefaults {
  /** Undefined for a field without pages. */
  defaultFor(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): PageDefault | undefined;
}

class ArgumentPlan implements PlannedArguments {
  readonly areConstant: boolean;
  readonly #known: KnownArguments;
  /** The arguments in the order of the schema. Undefined if graphql-js coerces them each time. */
  readonly #given: readonly Prepared[] | undefined;
  readonly #page: PageDefault | undefined;
  readonly #pageSize: Prepared;

  constructor(known: KnownArguments, { arguments: nodes = [] }: Pick<FieldNode, 'arguments'>, page?: PageDefault) {
    this.#known = known;
    this.#page = page;
    this.#pageSize = page && prepareLiteral(known.typeOf(page.name), { kind: Kind.INT, value: String(page.size) });
    this.#given = prepareGiven(known.list, nodes);
    this.areConstant = this.#given?.some(isMade) === false;
  }

  valuesFor(node: FieldNode, run: Run): ArgumentValues {
    const values = this.#make(run) ?? run.coerceArguments(this, () => this.#coerceWithGraphQLJS(node, run));
    if (this.#page !== undefined) this.#setPage(values, this.#page, run);
    return values;
  }

  /** Null counts as not given: it would ask for all items. */
  #setPage(values: ArgumentValues, { names, name }: PageDefault, run: Run): void {
    if (names.some((one) => values[one] !== undefined && values[one] !== null)) return;
    const size = valueOf(this.#pageSize, run);
    // Undefined for an argument that takes no numbers, such as an enum.
    if (size !== undefined) put(values, name, size);
  }

  /** Usually throws. Otherwise the document was not validated; graphql-js shares default values between requests, so they are copied. */
  #coerceWithGraphQLJS(node: FieldNode, run: Run): ArgumentValues {
    const { definition, list } = this.#known;
    // Fragment variables are an experiment that plans leave to graphql-js; 16 has three parameters.
    const values = getArgumentValues(definition, node, run.info.members.variableValues, undefined, run.settings.hideSuggestions);
    for (const { name, type } of list) if (Object.hasOwn(values, name)) values[name] = copyInput(type, values[name]);
    return values;
  }

  /** Undefined when a variable is invalid: graphql-js writes the error message. */
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
  return value instanceof PerRunValue;
}

/** The arguments of a field, as far as they are the same in every document. */
class KnownArguments {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly list: readonly PreparedInput[];
  /** The plan for nodes without arguments. */
  #whenNoneIsGiven: ArgumentPlan | undefined = undefined;

  constructor(definition: GraphQLField<unknown, unknown>) {
    this.definition = definition;
    this.list = definition.args.map((argument) => new PreparedInput(argument));
  }

  typeOf(name: string): GraphQLInputType {
    return this.list.find((argument) => argument.name === name)!.type;
  }

  planFor(node: FieldNode, page: PageDefault | undefined): ArgumentPlan {
    if (page !== undefined) return new ArgumentPlan(this, node, page);
    if (node.arguments !== undefined && node.arguments.length > 0) return new ArgumentPlan(this, node);
    return (this.#whenNoneIsGiven ??= new ArgumentPlan(this, {}));
  }
}

const knownArguments = new WeakMap<GraphQLField<unknown, unknown>, KnownArguments>();

/** Prepares the arguments of a field that has some. */
export function planArguments(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  page: PageDefault | undefined,
): PlannedArguments {
  let known = knownArguments.get(definition);
  if (known === undefined) knownArguments.set(definition, (known = new KnownArguments(definition)));
  return known.planFor(node, page);
}

/** A field with its arguments. */
interface PlannedCall {
  readonly node: FieldNode;
  /** Undefined if the field has no arguments. */
  readonly arguments: PlannedArguments | undefined;
}

export function argumentValues({ arguments: planned, node }: PlannedCall, run: Run): ArgumentValues {
  return planned === undefined ? noValues() : planned.valuesFor(node, run);
}

/** Creates the object as graphql-js does: without a prototype in 17, an ordinary object in 16. */
function noValues(): ArgumentValues {
  return isGraphQL17 ? (Object.create(null) as ArgumentValues) : {};
}
