import { Kind } from 'graphql';
import type { FieldNode, GraphQLArgument, GraphQLField, OperationDefinitionNode, ValueNode } from 'graphql';

/** Reads how many items a field is asked for, from arguments such as `first`. */
export class SizeArguments {
  readonly #names: ReadonlySet<string>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #defaults = new Map<string, ValueNode>();
  readonly #known = new Map<object, number | undefined>();

  constructor(names: readonly string[], operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}) {
    this.#names = new Set(names);
    this.#variables = variables;
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue !== undefined) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  /** The largest size among the field's arguments; undefined when none says one. */
  of(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    return largestOf(field.args, (argument) => {
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      return (given === undefined ? undefined : this.#sizeOfNode(argument.name, given.value)) ?? this.#sizeOfDefault(argument);
    });
  }

  #sizeOfNode(name: string, node: ValueNode): number | undefined {
    if (node.kind === Kind.VARIABLE) {
      const variable = node.name.value;
      if (Object.hasOwn(this.#variables, variable)) return this.#sizeOfValue(name, this.#variables[variable]);
      const byDefault = this.#defaults.get(variable);
      return byDefault === undefined ? undefined : this.#sizeOfNode(name, byDefault);
    }
    if (node.kind === Kind.LIST) return this.#largestIn(node, node.values, (item) => this.#sizeOfNode(name, item));
    if (node.kind === Kind.OBJECT) {
      return this.#largestIn(node, node.fields, (field) => this.#sizeOfNode(field.name.value, field.value));
    }
    return 'value' in node ? this.#sizeOfValue(name, node.value) : undefined;
  }

  /** Numbers and what reads as one: a scalar of the schema's own may take a text. */
  #sizeOfValue(name: string, value: unknown): number | undefined {
    if (Array.isArray(value)) return this.#largestIn(value, value as unknown[], (item) => this.#sizeOfValue(name, item));
    if (typeof value === 'object' && value !== null) {
      return this.#largestIn(value, Object.keys(value), (key) => this.#sizeOfValue(key, (value as Record<string, unknown>)[key]));
    }
    if (!this.#names.has(name) || (typeof value !== 'number' && typeof value !== 'string') || value === '') return undefined;
    const size = Number(value);
    return size >= 0 ? size : undefined;
  }

  /** Looked through once: a variable may be as large as a request, and be used by every field. */
  #largestIn<T>(owner: object, items: readonly T[], sizeOf: (item: T) => number | undefined): number | undefined {
    if (!this.#known.has(owner)) this.#known.set(owner, largestOf(items, sizeOf));
    return this.#known.get(owner);
  }

  /** graphql 16 has the default as a value, 17 as a literal or a value. */
  #sizeOfDefault(argument: GraphQLArgument): number | undefined {
    const { default: later, defaultValue } = argument as { default?: { literal?: ValueNode; value?: unknown }; defaultValue?: unknown };
    if (later?.literal !== undefined) return this.#sizeOfNode(argument.name, later.literal);
    return this.#sizeOfValue(argument.name, later?.value ?? defaultValue);
  }
}

function largestOf<T>(items: readonly T[], sizeOf: (item: T) => number | undefined): number | undefined {
  let largest: number | undefined;
  for (const item of items) {
    const size = sizeOf(item);
    if (size !== undefined && !(size <= (largest ?? -1))) largest = size;
  }
  return largest;
}
