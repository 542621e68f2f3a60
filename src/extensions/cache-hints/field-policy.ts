import { getNamedType, isCompositeType } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLOutputType } from 'graphql';

import { annotationOfField, annotationOfType } from './annotations.ts';
import { newCachePolicy } from './policy.ts';
import type { CacheAnnotation, CacheHint, CachePolicy } from './policy.ts';

/** What resolvers find under `info.cacheControl`. */
export interface ResolveInfoCacheControl {
  /** Takes the place of what the schema says of the field. */
  setCacheHint(hint: CacheHint): void;
  /** The hint of the field, which can be restricted. */
  readonly cacheHint: CachePolicy;
  /** What `@cacheControl` says of a type. */
  cacheHintFromType(type: GraphQLCompositeType): CacheAnnotation;
}

declare module 'graphql' {
  // The type that resolvers read their hints from.
  interface GraphQLResolveInfo {
    cacheControl: ResolveInfoCacheControl;
  }
}

/** A field as far as its hints go. */
export interface HintedField {
  /** Undefined: nothing is known of it but its type. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly returnType: GraphQLOutputType;
  /** Of a root type. */
  readonly isRoot: boolean;
}

/** What the schema says of a field: its type first, then the field itself. `inherits`: the lifetime of the parent counts. */
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
  /** The lifetime of the parent counts. */
  readonly inherits: boolean;
  readonly defaultMaxAge: number;
}

/** When nothing says how long: fields of the root and fields with selections count for the default, plain leaves for nothing. */
export function applyDefault(policy: CachePolicy, { returnType, isRoot }: HintedField, { inherits, defaultMaxAge }: DefaultLifetime): void {
  const needsLifetime = isRoot || (isCompositeType(getNamedType(returnType)) && !inherits);
  if (policy.maxAge === undefined && needsLifetime) policy.restrict({ maxAge: defaultMaxAge });
}
