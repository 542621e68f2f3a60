import { Kind } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { fragmentsOf, getOrCreate } from '../../shared/index.ts';
import type { FieldHints, OverallPolicy } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import { rootOf } from './selection.ts';
import type { Place } from './selection.ts';

/** The hints of an operation that are known before it runs. */
export interface OperationHints {
  readonly root: Place;
  /** The strictest of all hints of the schema that the operation may meet. */
  readonly policy: Readonly<Pick<OverallPolicy, 'maxAge' | 'scope' | 'unstored' | 'unshared'>>;
}

type Variables = Readonly<Record<string, unknown>>;

/** The number of outcomes of `@skip` and `@include` that are kept for one operation. */
const maxOutcomes = 16;

/** Computes the hints of operations, once for each operation and each outcome of its `@skip` and `@include`. */
export class StaticHints {
  readonly fields: FieldHints;
  readonly #known = new WeakMap<OperationDefinitionNode, Map<string, OperationHints | undefined>>();

  constructor(fields: FieldHints) {
    this.fields = fields;
  }

  /** Returns undefined if the schema has no root type for the operation. */
  of(
    schema: GraphQLSchema,
    { document, operation }: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
    variables: Variables = {},
  ): OperationHints | undefined {
    const outcomes = getOrCreate(this.#known, operation, () => new Map());
    const conditions = conditionsOf(operation, variables);
    const key = [...conditions].flatMap(([name, value]) => (value ? name : [])).join(',');
    if (outcomes.has(key)) return outcomes.get(key);
    const root = rootOf(
      { schema, fragments: Object.fromEntries(fragmentsOf(document)), variables: Object.fromEntries(conditions) },
      operation,
    );
    const hints = root && { root, policy: this.fields.restrictAll(newCachePolicy(), schema, root) };
    if (outcomes.size < maxOutcomes) outcomes.set(key, hints);
    return hints;
  }
}

/** The variables of type Boolean with their defaults. Only these can determine a condition. */
function conditionsOf({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables): ReadonlyMap<string, boolean> {
  const conditions = new Map<string, boolean>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (named.kind !== Kind.NAMED_TYPE || named.name.value !== 'Boolean') continue;
    const name = variable.name.value;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    conditions.set(name, given === undefined ? defaultValue?.kind === Kind.BOOLEAN && defaultValue.value : given === true);
  }
  return conditions;
}
