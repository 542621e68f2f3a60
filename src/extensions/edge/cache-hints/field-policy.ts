import { getNamedType, isAbstractType, isCompositeType } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

import { getOrCreate } from '../../../shared/index.ts';
import type { Place, SelectedField } from '../selection.ts';
import { annotationOfField, annotationOfType } from './annotations.ts';
import { newCachePolicy } from './policy.ts';
import type { CacheAnnotation, CacheHint, CachePolicy } from './policy.ts';

/** `info.cacheControl`, as resolvers get it. */
export interface ResolveInfoCacheControl {
  /** Replaces the schema's hint for the field. */
  setCacheHint(hint: CacheHint): void;
  /** The hint of the field, which can be restricted. */
  readonly cacheHint: CachePolicy;
  /** The `@cacheControl` of a type. */
  cacheHintFromType(type: GraphQLCompositeType): CacheAnnotation;
}

/** `info.cacheControl` of one call of a resolver. Computes nothing before it is used. Its functions may be destructured. */
export function cacheControlOf(newPolicy: () => CachePolicy): ResolveInfoCacheControl {
  let policy: CachePolicy | undefined;
  const policyOf = (): CachePolicy => (policy ??= newPolicy());
  return {
    get cacheHint() {
      return policyOf();
    },
    setCacheHint: (hint) => policyOf().replace(hint),
    cacheHintFromType: annotationOfType,
  };
}

declare module 'graphql' {
  // Adds `info.cacheControl` to graphql-js's type of `info`.
  interface GraphQLResolveInfo {
    cacheControl: ResolveInfoCacheControl;
  }
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns the policy of a field in the schema, for one of the types that its value may have: the hint of the type, then the hint of the
 * field.
 */
export function policyInSchema(
  field: Field,
  type: GraphQLNamedType,
  isRoot: boolean,
): { readonly policy: CachePolicy; readonly needsLifetime: boolean } {
  const [ofType, ofField] = [isCompositeType(type) ? annotationOfType(type) : {}, annotationOfField(field)];
  const policy = newCachePolicy();
  policy.replace(ofType);
  policy.replace(ofField);
  // The lifetime of the parent applies.
  const inherits = ofType.inheritMaxAge === true || (ofField.inheritMaxAge === true && policy.maxAge === undefined);
  return { policy, needsLifetime: isRoot || (isCompositeType(type) && !inherits) };
}

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

/** The hints of fields in the schema. */
export class FieldHints {
  readonly #defaultMaxAge: number;
  readonly #known = new WeakMap<Field, FieldHint>();

  constructor(defaultMaxAge: number) {
    this.#defaultMaxAge = defaultMaxAge;
  }

  /** The strictest hint that the field has with any of the types that its value may have. Computed once for each field. */
  of(schema: GraphQLSchema, parent: GraphQLObjectType, field: Field): FieldHint {
    return getOrCreate(this.#known, field, () => this.#strictest(schema, parent, field));
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
      if (isHinted?.(one) !== true) this.restrict(overall, this.of(schema, one.parent, one.field));
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
