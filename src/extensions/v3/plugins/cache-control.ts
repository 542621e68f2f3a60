import { getNamedType, isCompositeType, isLeafType } from 'graphql';
import type { ConstDirectiveNode, GraphQLCompositeType, GraphQLField, GraphQLResolveInfo } from 'graphql';

import { newCachePolicy } from '../operation/cache-policy.ts';
import type { CacheAnnotation, CacheHint, CachePolicy, CacheScope } from '../operation/cache-policy.ts';
import type { ApolloServerPlugin, GraphQLRequestContext, GraphQLRequestExecutionListener } from '../types.ts';
import { cacheControlId } from './internal.ts';
import type { InternalPlugin } from './internal.ts';

/** Options of {@link ApolloServerPluginCacheControl}. */
export interface ApolloServerPluginCacheControlOptions {
  /** Seconds that root fields and fields with selections count for when nothing says how long. Default: 0, not kept. */
  readonly defaultMaxAge?: number;
  /** Whether answers get a Cache-Control header field. Default: true. */
  readonly calculateHttpHeaders?: boolean;
  /** Gets the hints of each field by its path, for tests. */
  readonly __testing__cacheHints?: Map<string, CacheHint>;
}

/** What resolvers find under `info.cacheControl`. */
export interface ResolveInfoCacheControl {
  setCacheHint(hint: CacheHint): void;
  readonly cacheHint: CachePolicy;
  cacheHintFromType(type: GraphQLCompositeType): CacheAnnotation;
}

declare module 'graphql' {
  // The type that resolvers of the version-3 generation read their hints from.
  interface GraphQLResolveInfo {
    cacheControl: ResolveInfoCacheControl;
  }
}

type Field = GraphQLField<unknown, unknown>;

/** Sums up the hints of `@cacheControl` and of resolvers to one lifetime for the answer: the shortest, and private if any is. */
export function ApolloServerPluginCacheControl(options: ApolloServerPluginCacheControlOptions = {}): ApolloServerPlugin & InternalPlugin {
  return {
    __internal_plugin_id__: () => 'CacheControl',
    requestDidStart: async (requestContext) => ({
      executionDidStart: async () => listenerFor(options, requestContext),
      willSendResponse: async (context) => setHeader(options, context),
    }),
  };
}

/** Takes the place of {@link ApolloServerPluginCacheControl}, which a server adds by itself, and does nothing. */
export function ApolloServerPluginCacheControlDisabled(): ApolloServerPlugin & InternalPlugin {
  return { __internal_plugin_id__: () => 'CacheControl' };
}

function listenerFor(
  options: ApolloServerPluginCacheControlOptions,
  { overallCachePolicy }: GraphQLRequestContext,
): GraphQLRequestExecutionListener {
  // A policy that is there before anything runs is an override: hints are taken, and change nothing.
  const isOverridden = hasHint(overallCachePolicy);
  const listener: GraphQLRequestExecutionListener = {
    willResolveField({ info }) {
      const policy = newCachePolicy();
      const inherits = isOverridden ? false : applyAnnotations(policy, info);
      info.cacheControl = { setCacheHint: (hint) => policy.replace(hint), cacheHint: policy, cacheHintFromType: annotationOfType };
      if (isOverridden) return undefined;
      // After the resolver, not before: what it has said replaces what the schema says.
      return () => {
        const needsLifetime = info.path.prev === undefined || (isCompositeType(getNamedType(info.returnType)) && !inherits);
        if (policy.maxAge === undefined && needsLifetime) policy.restrict({ maxAge: options.defaultMaxAge ?? 0 });
        note(options, info, policy);
        overallCachePolicy.restrict(policy);
      };
    },
  };
  return Object.assign(listener, { [cacheControlId]: true });
}

/** Applies what the schema says of the field: its type first, then the field itself. True when the parent's lifetime counts. */
function applyAnnotations(policy: CachePolicy, info: GraphQLResolveInfo): boolean {
  const type = getNamedType(info.returnType);
  const ofType = isCompositeType(type) ? annotationOfType(type) : {};
  policy.replace(ofType);
  const field = info.parentType.getFields()[info.fieldName];
  const ofField = field === undefined ? {} : annotationOfField(field);
  if (ofField.inheritMaxAge !== true || policy.maxAge !== undefined) {
    policy.replace(ofField);
    return ofType.inheritMaxAge === true;
  }
  policy.replace({ scope: ofField.scope });
  return true;
}

function note(
  { __testing__cacheHints: hints }: ApolloServerPluginCacheControlOptions,
  info: GraphQLResolveInfo,
  policy: CachePolicy,
): void {
  if (hints === undefined || !hasHint(policy)) return;
  const keys: (string | number)[] = [];
  for (let at: typeof info.path | undefined = info.path; at !== undefined; at = at.prev) keys.unshift(at.key);
  hints.set(keys.join('.'), { maxAge: policy.maxAge, scope: policy.scope });
}

/** Only for a single answer without errors: a batch has no one lifetime. */
function setHeader(
  { calculateHttpHeaders = true }: ApolloServerPluginCacheControlOptions,
  { response, overallCachePolicy, requestIsBatched }: GraphQLRequestContext,
): void {
  const policy = overallCachePolicy.policyIfCacheable();
  if (!calculateHttpHeaders || policy === null || response.errors || response.http === undefined || requestIsBatched) return;
  response.http.headers.set('cache-control', `max-age=${policy.maxAge}, ${policy.scope.toLowerCase()}`);
}

/**
 * Whether the plugin has to see a field: one with a resolver may set a hint, one with selections or at the root counts
 * without one. Plain leaves, most of every answer, are left alone.
 */
export function isWatchedByCacheControl(field: Field, isRoot: boolean): boolean {
  return isRoot || field.resolve !== undefined || !isLeafType(getNamedType(field.type)) || hasAnnotation(annotationOfField(field));
}

const ofTypes = new WeakMap<GraphQLCompositeType, CacheAnnotation>();
const ofFields = new WeakMap<Field, CacheAnnotation>();

function annotationOfType(type: GraphQLCompositeType): CacheAnnotation {
  return remembered(ofTypes, type, () => {
    const nodes = [type.astNode, ...type.extensionASTNodes];
    return nodes.map((node) => readAnnotation(node?.directives)).find((found) => found !== undefined) ?? {};
  });
}

function annotationOfField(field: Field): CacheAnnotation {
  return remembered(ofFields, field, () => readAnnotation(field.astNode?.directives) ?? {});
}

function remembered<T extends object>(known: WeakMap<T, CacheAnnotation>, key: T, read: () => CacheAnnotation): CacheAnnotation {
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}

function readAnnotation(directives: readonly ConstDirectiveNode[] | undefined): CacheAnnotation | undefined {
  const args = directives?.find(({ name }) => name.value === 'cacheControl')?.arguments;
  if (args === undefined) return undefined;
  const valueOf = (name: string): unknown => args.find((argument) => argument.name.value === name)?.value;
  const maxAge = valueOf('maxAge') as { kind: string; value: string } | undefined;
  const scope = valueOf('scope') as { kind: string; value: CacheScope } | undefined;
  const inherit = valueOf('inheritMaxAge') as { kind: string; value: boolean } | undefined;
  const scopeValue = scope?.kind === 'EnumValue' ? scope.value : undefined;
  if (inherit?.kind === 'BooleanValue' && inherit.value) return { inheritMaxAge: true, scope: scopeValue };
  return { maxAge: maxAge?.kind === 'IntValue' ? Number(maxAge.value) : undefined, scope: scopeValue };
}

function hasHint({ maxAge, scope }: CacheHint): boolean {
  return maxAge !== undefined || scope !== undefined;
}

function hasAnnotation(annotation: CacheAnnotation): boolean {
  return hasHint(annotation) || annotation.inheritMaxAge === true;
}
