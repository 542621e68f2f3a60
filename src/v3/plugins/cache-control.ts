import { getNamedType, isLeafType, responsePathAsArray } from 'graphql';
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';

import { annotationOfField, cacheControlOf, hasAnnotation, hasHint, newCachePolicy, policyInSchema } from '../../extensions/edge/index.ts';
import type { CacheHint, CachePolicy } from '../../extensions/edge/index.ts';
import { seesInfo } from '../../executor/index.ts';
import type { ObservedCall } from '../../executor/index.ts';
import type {
  AnyFunction,
  ApolloServerPlugin,
  GraphQLFieldResolverParams,
  GraphQLRequestContext,
  GraphQLRequestExecutionListener,
  InternalPlugin,
} from '../types.ts';

/** Options of {@link ApolloServerPluginCacheControl}. */
export interface ApolloServerPluginCacheControlOptions {
  /** Seconds for root fields and fields with selections that have no hint. Default: 0, not cached. */
  readonly defaultMaxAge?: number;
  /** Write the Cache-Control header of answers. Default: true. */
  readonly calculateHttpHeaders?: boolean;
  /** Receives the hints of each field by its path, for tests. */
  readonly __testing__cacheHints?: Map<string, CacheHint>;
}

type Field = GraphQLField<unknown, unknown>;

/** Combines the hints of `@cacheControl` and resolvers: the shortest lifetime, and private if any hint is. */
export function ApolloServerPluginCacheControl(options: ApolloServerPluginCacheControlOptions = {}): ApolloServerPlugin & InternalPlugin {
  return {
    __internal_plugin_id__: () => 'CacheControl',
    requestDidStart: async (requestContext) => ({
      executionDidStart: async () => new OperationHints(options, requestContext.overallCachePolicy),
      willSendResponse: async (context) => setHeader(options, context),
    }),
  };
}

/** Replaces {@link ApolloServerPluginCacheControl}, which a server adds by default, and has no effect. */
export function ApolloServerPluginCacheControlDisabled(): ApolloServerPlugin & InternalPlugin {
  return { __internal_plugin_id__: () => 'CacheControl' };
}

/**
 * The hints of one operation. Only calls of resolvers that use `info.cacheControl` have policies; for all others, one policy for each
 * field of the schema is enough.
 */
export class OperationHints implements GraphQLRequestExecutionListener {
  readonly [hook: string]: AnyFunction | undefined;
  readonly #options: ApolloServerPluginCacheControlOptions;
  readonly #overall: CachePolicy;
  /** A policy that is set before execution overrides the hints. */
  readonly #isOverridden: boolean;
  /** How many calls of a field, at the root and below it, have not used `info.cacheControl`. */
  readonly #plainCalls = { root: new Map<Field, number>(), nested: new Map<Field, number>() };
  readonly #policies: FieldPolicy[] = [];
  readonly #kinds = new Map<Field, ReturnType<typeof kindOf>>();

  constructor(options: ApolloServerPluginCacheControlOptions, overall: CachePolicy) {
    this.#options = options;
    this.#overall = overall;
    this.#isOverridden = hasHint(overall);
  }

  /** True for tests, which see the policy of each call by its path. */
  needsPaths(): boolean {
    return this.#options.__testing__cacheHints !== undefined;
  }

  willResolveField({ info }: Pick<GraphQLFieldResolverParams, 'info'>): void {
    this.#countCall(info, 1);
    info.cacheControl = cacheControlOf(() => this.#addPolicy(this.#countCall(info, -1), info.path.prev === undefined, info.path));
    if (this.needsPaths()) void info.cacheControl.cacheHint;
  }

  /** Called in place of {@link willResolveField}: does nothing for fields that do not affect the lifetime. */
  willCall(call: ObservedCall): void {
    const { definition, path } = call;
    let kind = path.prev === undefined ? 'hinting' : this.#kinds.get(definition);
    if (kind === undefined) this.#kinds.set(definition, (kind = kindOf(definition)));
    if (kind === 'counted') this.#plainCalls.nested.set(definition, 1);
    if (kind === 'hinting') this.willResolveField(call);
  }

  /** Computes the policy after all resolvers, because their hints override the hints of the schema. */
  executionDidEnd(): void {
    if (this.#isOverridden) return;
    const { defaultMaxAge = 0, __testing__cacheHints: seen } = this.#options;
    for (const [place, calls] of Object.entries(this.#plainCalls))
      for (const [field, count] of calls) if (count > 0) this.#addPolicy(field, place === 'root');
    for (const { policy, needsLifetime, path } of this.#policies) {
      if (policy.maxAge === undefined && needsLifetime) policy.restrict({ maxAge: defaultMaxAge });
      if (path !== undefined && hasHint(policy))
        seen?.set(responsePathAsArray(path).join('.'), { maxAge: policy.maxAge, scope: policy.scope });
      this.#overall.restrict(policy);
    }
  }

  #countCall({ parentType, fieldName, path }: GraphQLResolveInfo, by: 1 | -1): Field {
    const field = parentType.getFields()[fieldName]!;
    const calls = this.#plainCalls[path.prev === undefined ? 'root' : 'nested'];
    calls.set(field, (calls.get(field) ?? 0) + by);
    return field;
  }

  #addPolicy(field: Field, isRoot: boolean, path?: GraphQLResolveInfo['path']): CachePolicy {
    const hint = policyInSchema(field, getNamedType(field.type), isRoot);
    const policy = this.#isOverridden ? newCachePolicy() : hint.policy;
    this.#policies.push({ ...hint, policy, path });
    return policy;
  }
}

interface FieldPolicy extends ReturnType<typeof policyInSchema> {
  readonly path: GraphQLResolveInfo['path'] | undefined;
}

/** Sets the header of single answers without errors. The operations of a batch have different lifetimes. */
function setHeader(
  { calculateHttpHeaders = true }: ApolloServerPluginCacheControlOptions,
  { response, overallCachePolicy, requestIsBatched }: GraphQLRequestContext,
): void {
  const policy = overallCachePolicy.policyIfCacheable();
  if (!calculateHttpHeaders || policy === null || response.errors || response.http === undefined || requestIsBatched) return;
  response.http.headers.set('cache-control', `max-age=${policy.maxAge}, ${String(policy.scope).toLowerCase()}`);
}

/**
 * How a field below the root affects the lifetime: by its type and annotation, and `hinting` by its resolver, too. Plain leaves, most of an
 * answer, do not affect it.
 */
function kindOf(field: Field): 'plain' | 'counted' | 'hinting' {
  if (field.resolve !== undefined) return seesInfo(field.resolve) ? 'hinting' : 'counted';
  return isLeafType(getNamedType(field.type)) && !hasAnnotation(annotationOfField(field)) ? 'plain' : 'hinting';
}
