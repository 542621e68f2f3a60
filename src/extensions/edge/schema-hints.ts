import { getNamedType, isAbstractType, Kind } from 'graphql';
import type { DocumentNode, GraphQLField, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { fragmentsOf, getOrCreate } from '../../shared/index.ts';
import { annotationOfField } from './cache-hints/annotations.ts';
import { policyInSchema } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CacheHint, CachePolicy } from './cache-hints/policy.ts';
import { rootOf } from './selection.ts';
import type { Place, SelectedField } from './selection.ts';

/** A hint that may need a lifetime. */
export interface FieldHint extends CacheHint {
  /** The field with its type, such as "Query.books". */
  readonly name: string;
  /**
   * True for a field that gets the default lifetime if no hint sets one: a root field, or a field with selections. Other leaves set no
   * limit.
   */
  readonly needsLifetime: boolean;
}

/** The strictest of several hints, with the first fields that forbid to share an answer. */
export interface OverallPolicy extends CachePolicy {
  /** The name of a field that lives for less than a second. */
  unstored?: string;
  /** The name of a field whose scope is not public. */
  unshared?: string;
}

/** The hints of an operation that are known before it runs. */
export interface OperationHints {
  readonly root: Place;
  /** The strictest of all hints of the schema that the operation may meet. */
  readonly policy: Readonly<Pick<OverallPolicy, 'maxAge' | 'scope' | 'unstored' | 'unshared'>>;
}

type Field = GraphQLField<unknown, unknown>;
type Variables = Readonly<Record<string, unknown>>;

/** The number of outcomes of `@skip` and `@include` that are kept for one operation. */
const maxOutcomes = 16;

/** The hints of fields and operations, by their schema. */
export class SchemaHints {
  readonly #defaultMaxAge: number;
  readonly #fields = new WeakMap<Field, FieldHint>();
  readonly #operations = new WeakMap<OperationDefinitionNode, Map<string, OperationHints | undefined>>();

  constructor(defaultMaxAge: number) {
    this.#defaultMaxAge = defaultMaxAge;
  }

  /**
   * The hints of an operation, computed once for each outcome of its `@skip` and `@include`. Undefined if the schema has no root type for it.
   */
  of(
    schema: GraphQLSchema,
    { document, operation }: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
    variables: Variables = {},
  ): OperationHints | undefined {
    const outcomes = getOrCreate(this.#operations, operation, () => new Map());
    const conditions = conditionsOf(operation, variables);
    const key = [...conditions].flatMap(([name, value]) => (value ? name : [])).join(',');
    if (outcomes.has(key)) return outcomes.get(key);
    const root = rootOf(
      { schema, fragments: Object.fromEntries(fragmentsOf(document)), variables: Object.fromEntries(conditions) },
      operation,
    );
    const hints = root && { root, policy: this.restrictAll(newCachePolicy(), schema, root) };
    if (outcomes.size < maxOutcomes) outcomes.set(key, hints);
    return hints;
  }

  /** The strictest hint that the field has with any of the types that its value may have. Computed once for each field. */
  ofField(schema: GraphQLSchema, parent: GraphQLObjectType, field: Field): FieldHint {
    return getOrCreate(this.#fields, field, () => this.#strictest(schema, parent, field));
  }

  /** Makes a policy as strict as a hint. */
  restrict(overall: OverallPolicy, { name, maxAge: own, scope, needsLifetime }: FieldHint): void {
    const maxAge = own === undefined && needsLifetime ? this.#defaultMaxAge : own;
    if (maxAge !== undefined && !(maxAge >= 1)) overall.unstored ??= name;
    if (scope !== undefined && scope !== 'PUBLIC') overall.unshared ??= name;
    overall.restrict({ maxAge, scope });
  }

  /** Makes a policy as strict as the hints of all fields here and below, except fields for which `isHinted` is true. */
  restrictAll(overall: OverallPolicy, schema: GraphQLSchema, root: Place, isHinted?: (one: SelectedField) => boolean): OverallPolicy {
    const isWhole = root.eachField((one) => {
      if (isHinted?.(one) !== true) this.restrict(overall, this.ofField(schema, one.parent, one.field));
    });
    // The answer is private if the operation is too large to search.
    if (!isWhole) overall.restrict({ maxAge: 0 });
    return overall;
  }

  #strictest(schema: GraphQLSchema, parent: GraphQLObjectType, field: Field): FieldHint {
    const isRoot = parent === schema.getQueryType();
    const name = `${parent.name}.${field.name}`;
    const type = getNamedType(field.type);
    const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    const hints = types.map((one): FieldHint => {
      const { policy, needsLifetime } = policyInSchema(field, one, isRoot);
      return { name, maxAge: policy.maxAge, scope: policy.scope, needsLifetime };
    });
    const strictest = newCachePolicy();
    for (const hint of hints) strictest.restrict(hint);
    // The hints of interfaces and unions restrict those of object types, but give them no lifetime.
    if (isAbstractType(type)) strictest.restrict(policyInSchema(field, type, isRoot).policy);
    const inherited = parent.getInterfaces().flatMap((one) => one.getFields()[field.name] ?? []);
    for (const one of inherited) strictest.restrict(annotationOfField(one));
    if (strictest.maxAge !== undefined) for (const hint of hints) this.restrict(strictest, hint);
    return { name, maxAge: strictest.maxAge, scope: strictest.scope, needsLifetime: hints.some(({ needsLifetime }) => needsLifetime) };
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
