import { Kind } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql';

import { getArgumentValues } from '../graphql-version.ts';
import type { Run } from '../run/run.ts';
import { inputsOf, prepareLiteral } from './literals.ts';
import type { GivenInputs } from './literals.ts';
import { createRecord, put, valueOf } from './per-run-values.ts';
import type { Prepared } from './per-run-values.ts';
import { copyInput } from './copied-inputs.ts';

export type ArgumentValues = Record<string, unknown>;

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
  /** Returns the default page size of a field; undefined for a field without pages. */
  defaultFor(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): PageDefault | undefined;
}

/** The prepared arguments of a field. */
export class PlannedArguments {
  /** True if the arguments do not depend on variables. */
  readonly areConstant: boolean;
  readonly #definition: GraphQLField<unknown, unknown>;
  /** The prepared values of the arguments; undefined if graphql-js coerces the arguments each time. */
  readonly #given: GivenInputs | undefined;
  readonly #page: PageDefault | undefined;
  readonly #pageSize: Prepared;

  constructor(definition: GraphQLField<unknown, unknown>, { arguments: nodes = [] }: FieldNode, page: PageDefault | undefined) {
    this.#definition = definition;
    this.#given = inputsOf(definition).prepare(nodes);
    this.areConstant = this.#given?.areConstant === true;
    this.#page = page;
    if (page === undefined) return;
    const { type } = definition.args.find(({ name }) => name === page.name)!;
    this.#pageSize = prepareLiteral(type, { kind: Kind.INT, value: String(page.size) });
  }

  /** The values for one call, in a new object. Throws graphql-js's error if one is invalid. */
  valuesFor(node: FieldNode, run: Run): ArgumentValues {
    if (this.#given !== undefined) run.budget.spend(this.#given.work);
    const values = this.#given?.make(createRecord(), run) ?? run.coerceArguments(this, () => this.#coerceWithGraphQLJS(node, run));
    if (this.#page !== undefined) this.#setPage(values, this.#page, run);
    return values;
  }

  /** A page size of null counts as not given, because it would ask for all items. */
  #setPage(values: ArgumentValues, { names, name }: PageDefault, run: Run): void {
    if (names.some((one) => values[one] !== undefined && values[one] !== null)) return;
    const size = valueOf(this.#pageSize, run);
    // The size is undefined for an argument that takes no numbers, such as an enum.
    if (size !== undefined) put(values, name, size);
  }

  /** Usually throws. Otherwise the document was not validated; graphql-js shares default values between requests, so they are copied. */
  #coerceWithGraphQLJS(node: FieldNode, run: Run): ArgumentValues {
    // Fragment variables are an experiment that plans leave to graphql-js; 16 has three parameters.
    const values = getArgumentValues(this.#definition, node, run.info.members.variableValues, undefined, run.settings.hideSuggestions);
    for (const { name, type } of this.#definition.args) if (Object.hasOwn(values, name)) values[name] = copyInput(type, values[name]);
    return values;
  }
}

/** A field with its arguments. */
interface PlannedCall {
  readonly node: FieldNode;
  /** The arguments of the field, if it has any. */
  readonly arguments: PlannedArguments | undefined;
}

export function argumentValues({ arguments: planned, node }: PlannedCall, run: Run): ArgumentValues {
  return planned === undefined ? createRecord() : planned.valuesFor(node, run);
}
