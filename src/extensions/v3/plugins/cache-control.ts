import { getNamedType, isLeafType } from 'graphql';
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';

import { annotationOfField, annotationOfType, hasAnnotation, hasHint } from '../../cache-hints/annotations.ts';
import { applyDefault, policyInSchema } from '../../cache-hints/field-policy.ts';
import { newCachePolicy } from '../../cache-hints/policy.ts';
import type { CacheHint, CachePolicy } from '../../cache-hints/policy.ts';
import type { ApolloServerPlugin, GraphQLRequestContext, GraphQLRequestExecutionListener, InternalPlugin } from '../types.ts';

/** Marks the listener of the cache-control plugin: it need not see fields that can neither have a hint nor set one. */
export const cacheControlId: unique symbol = Symbol('graphql-functions.v3.cacheControl');

/** Options of {@link ApolloServerPluginCacheControl}. */
export interface ApolloServerPluginCacheControlOptions {
  /** Seconds that root fields and fields with selections count for when nothing says how long. Default: 0, not kept. */
  readonly defaultMaxAge?: number;
  /** false: answers get no Cache-Control header field. Default: true. */
  readonly calculateHttpHeaders?: boolean;
  /** Gets the hints of each field by its path, for tests. */
  readonly __testing__cacheHints?: Map<string, CacheHint>;
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
      const field = info.parentType.getFields()[info.fieldName];
      const hinted = { field, returnType: info.returnType, isRoot: info.path.prev === undefined };
      const { policy, inherits } = isOverridden ? { policy: newCachePolicy(), inherits: false } : policyInSchema(hinted);
      info.cacheControl = { setCacheHint: (hint) => policy.replace(hint), cacheHint: policy, cacheHintFromType: annotationOfType };
      if (isOverridden) return undefined;
      // After the resolver, not before: what it has said replaces what the schema says.
      return () => {
        applyDefault(policy, hinted, { inherits, defaultMaxAge: options.defaultMaxAge ?? 0 });
        note(options, info, policy);
        overallCachePolicy.restrict(policy);
      };
    },
  };
  return Object.assign(listener, { [cacheControlId]: true });
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
  response.http.headers.set('cache-control', `max-age=${policy.maxAge}, ${String(policy.scope).toLowerCase()}`);
}

/**
 * True for a field that the plugin has to see: one with a resolver may set a hint, one with selections or at the root counts
 * without one. Plain leaves, most of every answer, are left alone.
 */
export function isWatchedByCacheControl(field: Field, isRoot: boolean): boolean {
  return isRoot || field.resolve !== undefined || !isLeafType(getNamedType(field.type)) || hasAnnotation(annotationOfField(field));
}
