import { Kind } from 'graphql';
import type { FieldNode, GraphQLArgument, GraphQLField, OperationDefinitionNode, ValueNode } from 'graphql';

/** Reads how many items a field is asked for, from arguments such as `first`. */
export class SizeArguments {
  readonly #names: ReadonlySet<string>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #defaults = new Map<string, ValueNode>();

  constructor(names: readonly string[], operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}) {
    this.#names = new Set(names);
    this.#variables = variables;
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue !== undefined) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  /** The largest size among the field's arguments; undefined when none says one. */
  of(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    let largest: number | undefined;
    for (const argument of field.args) {
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      const size = (given === undefined ? undefined : this.#sizeOfNode(argument.name, given.value)) ?? this.#sizeOfDefault(argument);
      if (size !== undefined && !(size <= (largest ?? -1))) largest = size;
    }
    return largest;
  }

  #sizeOfNode(name: string, node: ValueNode): number | undefined {
    if (node.kind === Kind.VARIABLE) {
      const variable = node.name.value;
      if (Object.hasOwn(this.#variables, variable)) return this.#sizeOfValue(name, this.#variables[variable]);
      const byDefault = this.#defaults.get(variable);
      return byDefault === undefined ? undefined : this.#sizeOfNode(name, byDefault);
    }
    if (node.kind === Kind.OBJECT) {
      return largestOf(
        node.fields.map((field) => (this.#names.has(field.name.value) ? this.#sizeOfNode(field.name.value, field.value) : undefined)),
      );
    }
    return 'value' in node ? this.#sizeOfValue(name, node.value) : undefined;
  }

  /** Numbers and what reads as one: a scalar of the schema's own may take a text. */
  #sizeOfValue(name: string, value: unknown): number | undefined {
    if (typeof value === 'object' && value !== null) return this.#sizeInObject(value as Readonly<Record<string, unknown>>);
    if (!this.#names.has(name) || (typeof value !== 'number' && typeof value !== 'string') || value === '') return undefined;
    const size = Number(value);
    return size >= 0 ? size : undefined;
  }

  /** Asks for the few names: an object of a variable may have as many keys as fit into a request, and be used by every field. */
  #sizeInObject(object: Readonly<Record<string, unknown>>): number | undefined {
    const sizes: (number | undefined)[] = [];
    for (const name of this.#names) {
      const inner = Object.hasOwn(object, name) ? object[name] : undefined;
      if (typeof inner !== 'object') sizes.push(this.#sizeOfValue(name, inner));
    }
    return largestOf(sizes);
  }

  /** graphql 16 has the default as a value, 17 as a literal or a value. */
  #sizeOfDefault(argument: GraphQLArgument): number | undefined {
    const { default: later, defaultValue } = argument as { default?: { literal?: ValueNode; value?: unknown }; defaultValue?: unknown };
    if (later?.literal !== undefined) return this.#sizeOfNode(argument.name, later.literal);
    return this.#sizeOfValue(argument.name, later?.value ?? defaultValue);
  }
}

function largestOf(sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
