import { Kind } from 'graphql';
import type { FieldNode, GraphQLArgument, GraphQLField, OperationDefinitionNode, ValueNode } from 'graphql';

/** The numbers of items that a client asks a field for. */
export interface GivenSizes {
  readonly least: number;
  readonly most: number;
  /** Whether one of them is called `first`, and one `last`. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The arguments that give a number of items, unless `maxCost.sizeArguments` lists others. */
export const defaultSizeArguments: readonly string[] = ['first', 'last', 'limit'];

/** Reads how many items a field is asked for, from arguments such as `first`. */
export class SizeArguments {
  readonly #names: readonly string[];
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;
  /** Created when first needed. */
  #defaults: Map<string, ValueNode | undefined> | undefined = undefined;
  #known: Map<object, GivenSizes | undefined> | undefined = undefined;

  constructor(names: readonly string[], operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}) {
    this.#names = names;
    this.#operation = operation;
    this.#variables = variables;
  }

  /** The largest size among the field's arguments, including defaults of the schema. Undefined if there is none, or all are null. */
  of(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    let largest: number | undefined;
    for (const argument of field.args) {
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      const sizes = this.#isGiven(given?.value) ? this.#inNode(argument.name, given!.value) : this.#inDefault(argument);
      if (sizes !== undefined && !(sizes.most <= (largest ?? -1))) largest = sizes.most;
    }
    return largest;
  }

  /** The sizes in the arguments of a node. Undefined if there are none. */
  givenTo({ arguments: given = [] }: FieldNode): GivenSizes | undefined {
    return joined(given, ({ name, value }) => this.#inNode(name.value, value));
  }

  /** False for a variable without a value: the argument has the default of the schema, which a null would replace. */
  #isGiven(node: ValueNode | undefined): boolean {
    if (node?.kind !== Kind.VARIABLE) return node !== undefined;
    return Object.hasOwn(this.#variables, node.name.value) || this.#defaultOf(node.name.value) !== undefined;
  }

  #inNode(name: string, node: ValueNode): GivenSizes | undefined {
    if (node.kind === Kind.VARIABLE) {
      const variable = node.name.value;
      if (Object.hasOwn(this.#variables, variable)) return this.#inValue(name, this.#variables[variable]);
      const byDefault = this.#defaultOf(variable);
      return byDefault === undefined ? undefined : this.#inNode(name, byDefault);
    }
    if (node.kind === Kind.LIST) {
      if (this.#names.includes(name)) return sizeOf(name, node.values.length);
      return this.#inParts(node, node.values, (item) => this.#inNode(name, item));
    }
    if (node.kind === Kind.OBJECT) return this.#inParts(node, node.fields, (field) => this.#inNode(field.name.value, field.value));
    return 'value' in node ? this.#inValue(name, node.value) : undefined;
  }

  /** A size is a number, or a numeric string: a custom scalar may accept strings. A list is as large as it is long. */
  #inValue(name: string, value: unknown): GivenSizes | undefined {
    if (Array.isArray(value)) {
      if (this.#names.includes(name)) return sizeOf(name, value.length);
      return this.#inParts(value, value as unknown[], (item) => this.#inValue(name, item));
    }
    if (typeof value === 'object' && value !== null) {
      return this.#inParts(value, Object.keys(value), (key) => this.#inValue(key, (value as Record<string, unknown>)[key]));
    }
    if (!this.#names.includes(name) || (typeof value !== 'number' && typeof value !== 'string') || value === '') return undefined;
    const size = Number(value);
    return Number.isNaN(size) ? undefined : sizeOf(name, size);
  }

  /** Each value is searched once: a variable may be as large as a request, and every field may use it. */
  #inParts<T>(owner: object, parts: readonly T[], sizesIn: (part: T) => GivenSizes | undefined): GivenSizes | undefined {
    const known = (this.#known ??= new Map());
    if (!known.has(owner)) known.set(owner, joined(parts, sizesIn));
    return known.get(owner);
  }

  #defaultOf(variable: string): ValueNode | undefined {
    this.#defaults ??= new Map(
      this.#operation.variableDefinitions?.map((definition) => [definition.variable.name.value, definition.defaultValue]),
    );
    return this.#defaults.get(variable);
  }

  /** graphql 16 has the default as a value, 17 as a literal or a value. */
  #inDefault(argument: GraphQLArgument): GivenSizes | undefined {
    const { default: later, defaultValue } = argument as { default?: { literal?: ValueNode; value?: unknown }; defaultValue?: unknown };
    if (later?.literal !== undefined) return this.#inNode(argument.name, later.literal);
    return this.#inValue(argument.name, later?.value ?? defaultValue);
  }
}

function sizeOf(name: string, size: number): GivenSizes {
  return { least: size, most: size, isFirst: name === 'first', isLast: name === 'last' };
}

function joined<T>(parts: readonly T[], sizesIn: (part: T) => GivenSizes | undefined): GivenSizes | undefined {
  let all: GivenSizes | undefined;
  for (const part of parts) {
    const sizes = sizesIn(part);
    if (sizes === undefined) continue;
    all =
      all === undefined
        ? sizes
        : {
            least: Math.min(all.least, sizes.least),
            most: Math.max(all.most, sizes.most),
            isFirst: all.isFirst || sizes.isFirst,
            isLast: all.isLast || sizes.isLast,
          };
  }
  return all;
}
