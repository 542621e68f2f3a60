import { isCompositeType } from 'graphql';
import type { GraphQLCompositeType, GraphQLField, GraphQLNamedType } from 'graphql';

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
