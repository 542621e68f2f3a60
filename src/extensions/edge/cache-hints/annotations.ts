import type { ConstDirectiveNode, GraphQLCompositeType, GraphQLField } from 'graphql';

import type { CacheAnnotation, CacheHint, CacheScope } from './policy.ts';

/** Definitions of `@cacheControl`, for `typeDefs`. */
export const cacheControlDefinitions: string =
  'enum CacheControlScope { PUBLIC PRIVATE }\n' +
  'directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION';

type Field = GraphQLField<unknown, unknown>;

/** The `@cacheControl` of a type, or of its first extension that has one. */
export function annotationOfType(type: GraphQLCompositeType): CacheAnnotation {
  const nodes = [type.astNode, ...type.extensionASTNodes];
  return nodes.map((node) => readAnnotation(node?.directives)).find((found) => found !== undefined) ?? {};
}

/** The `@cacheControl` of a field. */
export function annotationOfField(field: Field): CacheAnnotation {
  return readAnnotation(field.astNode?.directives) ?? {};
}

function readAnnotation(directives: readonly ConstDirectiveNode[] | undefined): CacheAnnotation | undefined {
  const args = directives?.find(({ name }) => name.value === 'cacheControl')?.arguments;
  if (args === undefined) return undefined;
  const valueOf = (name: string, kind: string): unknown => {
    const node = args.find((argument) => argument.name.value === name)?.value;
    return node?.kind === kind ? (node as { readonly value?: unknown }).value : undefined;
  };
  const scope = valueOf('scope', 'EnumValue') as CacheScope | undefined;
  if (valueOf('inheritMaxAge', 'BooleanValue') === true) return { inheritMaxAge: true, scope };
  const maxAge = valueOf('maxAge', 'IntValue');
  return { maxAge: maxAge === undefined ? undefined : Number(maxAge), scope };
}

/** True if a lifetime or a scope is set. */
export function hasHint({ maxAge, scope }: CacheHint): boolean {
  return maxAge !== undefined || scope !== undefined;
}

/** True when `@cacheControl` has any argument. */
export function hasAnnotation(annotation: CacheAnnotation): boolean {
  return hasHint(annotation) || annotation.inheritMaxAge === true;
}
