import { getNamedType, isCompositeType } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLOutputType } from 'graphql';

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
