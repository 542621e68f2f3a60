import { getNamedType, isLeafType, responsePathAsArray } from 'graphql';
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';

import {
  annotationOfField,
  annotationOfType,
  hasAnnotation,
  hasHint,
  newCachePolicy,
  policyInSchema,
} from '../../extensions/edge/index.ts';
import type { CacheHint, CachePolicy, ResolveInfoCacheControl } from '../../extensions/edge/index.ts';
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
  /** False: answers have no Cache-Control header. Default: true. */
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
class OperationHints implements GraphQLRequestExecutionListener {
  readonly [hook: string]: AnyFunction | undefined;
  readonly #options: ApolloServerPluginCacheControlOptions;
  readonly #overall: CachePolicy;
  /** A policy that is set before execution overrides the hints. */
  readonly #isOverridden: boolean;
  /** How many calls of a field have not used `info.cacheControl`. */
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
    info.cacheControl = new FieldCacheControl(this, info);
    if (this.needsPaths()) void info.cacheControl.cacheHint;
  }

  /** Called in place of {@link willResolveField}: does nothing for fields that do not affect the lifetime. */
  willCall(call: ObservedCall): void {
    const { definition, path } = call;
    const isRoot = path.prev === undefined;
    if (!isRoot) {
      let kind = this.#kinds.get(definition);
      if (kind === undefined) this.#kinds.set(definition, (kind = kindOf(definition)));
      if (kind === 'counted') this.#plainCalls.nested.set(definition, 1);
      if (kind !== 'hinting') return;
    }
    this.willResolveField(call);
  }

  /** The policy of one call of a resolver. */
  policyFor(info: GraphQLResolveInfo): CachePolicy {
    return this.#addPolicy(this.#countCall(info, -1), info.path.prev === undefined, info.path);
  }

  /** After all resolvers, whose hints override those of the schema. */
  executionDidEnd(): void {
    if (this.#isOverridden) return;
    for (const [field, calls] of this.#plainCalls.root) if (calls > 0) this.#addPolicy(field, true);
    for (const [field, calls] of this.#plainCalls.nested) if (calls > 0) this.#addPolicy(field, false);
    for (const { policy, needsLifetime, path } of this.#policies) {
      if (policy.maxAge === undefined && needsLifetime) policy.restrict({ maxAge: this.#options.defaultMaxAge ?? 0 });
      if (path !== undefined && hasHint(policy))
        this.#options.__testing__cacheHints?.set(responsePathAsArray(path).join('.'), { maxAge: policy.maxAge, scope: policy.scope });
      this.#overall.restrict(policy);
    }
  }

  #countCall({ parentType, fieldName, path }: GraphQLResolveInfo, by: 1 | -1): Field {
    const field = parentType.getFields()[fieldName]!;
    const calls = path.prev === undefined ? this.#plainCalls.root : this.#plainCalls.nested;
    calls.set(field, (calls.get(field) ?? 0) + by);
    return field;
  }

  #addPolicy(field: Field, isRoot: boolean, path?: Path): CachePolicy {
    const hint = policyInSchema(field, getNamedType(field.type), isRoot);
    const policy = this.#isOverridden ? newCachePolicy() : hint.policy;
    this.#policies.push({ ...hint, policy, path });
    return policy;
  }
}

interface FieldPolicy {
  readonly policy: CachePolicy;
  readonly needsLifetime: boolean;
  readonly path: Path | undefined;
}

/** Creates nothing until a resolver uses it. `setCacheHint` may be destructured. */
class FieldCacheControl implements ResolveInfoCacheControl {
  readonly #hints: OperationHints;
  readonly #info: GraphQLResolveInfo;
  #policy: CachePolicy | undefined;

  constructor(hints: OperationHints, info: GraphQLResolveInfo) {
    this.#hints = hints;
    this.#info = info;
  }

  get cacheHint(): CachePolicy {
    return (this.#policy ??= this.#hints.policyFor(this.#info));
  }

  get setCacheHint(): ResolveInfoCacheControl['setCacheHint'] {
    return (hint) => this.cacheHint.replace(hint);
  }

  get cacheHintFromType(): typeof annotationOfType {
    return annotationOfType;
  }
}

type Path = GraphQLResolveInfo['path'];

/** Only for single answers without errors: the operations of a batch have different lifetimes. */
function setHeader(
  { calculateHttpHeaders = true }: ApolloServerPluginCacheControlOptions,
  { response, overallCachePolicy, requestIsBatched }: GraphQLRequestContext,
): void {
  const policy = overallCachePolicy.policyIfCacheable();
  if (!calculateHttpHeaders || policy === null || response.errors || response.http === undefined || requestIsBatched) return;
  response.http.headers.set('cache-control', `max-age=${policy.maxAge}, ${String(policy.scope).toLowerCase()}`);
}

/** The collector of hints, if it is the only one that watches fields and does not need their paths. */
export function onlyCacheHints(listeners: readonly GraphQLRequestExecutionListener[]): OperationHints | undefined {
  const watching = listeners.filter(({ willResolveField }) => willResolveField !== undefined);
  const [first] = watching;
  return watching.length === 1 && first instanceof OperationHints && !first.needsPaths() ? first : undefined;
}

/**
 * How a field below the root affects the lifetime: by its type and annotation, and `hinting` by its resolver, too. Plain leaves, most of an
 * answer, do not affect it.
 */
function kindOf(field: Field): 'plain' | 'counted' | 'hinting' {
  if (field.resolve !== undefined) return seesInfo(field.resolve) ? 'hinting' : 'counted';
  return isLeafType(getNamedType(field.type)) && !hasAnnotation(annotationOfField(field)) ? 'plain' : 'hinting';
}
