import { getNamedType, isAbstractType, isCompositeType } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql';

import type { SelectedField } from '../selection.ts';
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

declare module 'graphql' {
  // Adds `info.cacheControl` to graphql-js's type of `info`.
  interface GraphQLResolveInfo {
    cacheControl: ResolveInfoCacheControl;
  }
}

// The parts of a field that determine its hints. A comment of the usual form would remain in the declarations.
export interface HintedField {
  /** Undefined if only the type of the field is known. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly returnType: GraphQLOutputType;
  /** True for a field of a root type. */
  readonly isRoot: boolean;
}

/** The policy of a field in the schema: the hint of its type, then that of the field. `inherits`: the parent's lifetime applies. */
export function policyInSchema({ field, returnType }: HintedField): { readonly policy: CachePolicy; readonly inherits: boolean } {
  const policy = newCachePolicy();
  const type = getNamedType(returnType);
  const ofType = isCompositeType(type) ? annotationOfType(type) : {};
  policy.replace(ofType);
  const ofField = field === undefined ? {} : annotationOfField(field);
  if (ofField.inheritMaxAge !== true || policy.maxAge !== undefined) {
    policy.replace(ofField);
    return { policy, inherits: ofType.inheritMaxAge === true };
  }
  policy.replace({ scope: ofField.scope });
  return { policy, inherits: true };
}

interface DefaultLifetime {
  /** True when the parent's lifetime applies. */
  readonly inherits: boolean;
  readonly defaultMaxAge: number;
}

/** Fields without a lifetime: at the root, or with selections, they get the default; plain leaves set no limit. */
export function applyDefault(policy: CachePolicy, { returnType, isRoot }: HintedField, { inherits, defaultMaxAge }: DefaultLifetime): void {
  const needsLifetime = isRoot || (isCompositeType(getNamedType(returnType)) && !inherits);
  if (policy.maxAge === undefined && needsLifetime) policy.restrict({ maxAge: defaultMaxAge });
}

/** A hint that may need a lifetime. */
export interface FieldHint extends CacheHint {
  /** Without a lifetime, it has the default. */
  readonly needsLifetime: boolean;
}

/** The hints of fields in the schema. */
export class FieldHints {
  readonly #defaultMaxAge: number;
  readonly #known = new WeakMap<object, FieldHint>();

  constructor(defaultMaxAge: number) {
    this.#defaultMaxAge = defaultMaxAge;
  }

  /** The strictest hint that the field has with any of the types that its value may have. Computed once for each field. */
  of(schema: GraphQLSchema, { parent, field }: Pick<SelectedField, 'parent' | 'field'>): FieldHint {
    const hint = this.#known.get(field) ?? this.#strictest(schema, parent, field);
    this.#known.set(field, hint);
    return hint;
  }

  /** Makes a policy as strict as a hint. */
  restrict(overall: CachePolicy, { maxAge, scope, needsLifetime }: FieldHint): void {
    overall.restrict({ maxAge: maxAge === undefined && needsLifetime ? this.#defaultMaxAge : maxAge, scope });
  }

  #strictest(schema: GraphQLSchema, parent: GraphQLObjectType, field: SelectedField['field']): FieldHint {
    const isRoot = parent === schema.getQueryType();
    const type = getNamedType(field.type);
    const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    const hints = types.map((returnType): FieldHint => {
      const { policy, inherits } = policyInSchema({ field, returnType, isRoot });
      return { maxAge: policy.maxAge, scope: policy.scope, needsLifetime: isRoot || (isCompositeType(returnType) && !inherits) };
    });
    const strictest = newCachePolicy();
    for (const hint of hints) strictest.restrict(hint);
    // The hints of interfaces and unions restrict those of object types, but give them no lifetime.
    if (isAbstractType(type)) strictest.restrict(policyInSchema({ field, returnType: type, isRoot }).policy);
    const inherited = parent.getInterfaces().flatMap((one) => one.getFields()[field.name] ?? []);
    for (const one of inherited) strictest.restrict(annotationOfField(one));
    if (strictest.maxAge !== undefined) for (const hint of hints) this.restrict(strictest, hint);
    return { maxAge: strictest.maxAge, scope: strictest.scope, needsLifetime: hints.some(({ needsLifetime }) => needsLifetime) };
  }
}
