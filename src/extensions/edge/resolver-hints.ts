import { responsePathAsArray } from 'graphql';
import type { DocumentNode, GraphQLFieldResolver, GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import { seesInfo, visitSelectedFields } from '../../executor/index.ts';
import { wrapResolver } from '../../shared/index.ts';
import { annotationOfType } from './cache-hints/annotations.ts';
import { CheckedPolicy } from './cache-hints/checked-policy.ts';
import { applyDefault, policyInSchema } from './cache-hints/field-policy.ts';
import type { HintedField, ResolveInfoCacheControl } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CachePolicy } from './cache-hints/policy.ts';
import type { Selection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/** The hints that the resolvers of one operation have given. */
export class ResolverHints {
  /** By the `info` of the call: a batched resolver may be called several times for one path. */
  readonly #policies = new Map<GraphQLResolveInfo, ResolverPolicy>();
  readonly #paths = new Set<string>();
  /** The context value served another operation at the same time, so it is unknown to which one a hint belongs. */
  areMixedUp = false;

  /** True when no resolver has given a hint. */
  get isEmpty(): boolean {
    return this.#policies.size === 0;
  }

  /** The policy of a field, which its resolver may change. */
  policyAt(info: GraphQLResolveInfo): CachePolicy {
    const known = this.#policies.get(info) ?? resolverPolicy(info);
    this.#policies.set(info, known);
    this.#paths.add(responsePathAsArray(info.path).join('.'));
    return known.policy;
  }

  /** The strictest of the resolvers' hints, and of the schema's for all other fields. Null: the answer is too large to search. */
  overall(selection: Selection, data: Answered, defaultMaxAge: number): CachePolicy | null {
    const overall = newCachePolicy();
    for (const { policy, hinted, inherits } of this.#policies.values()) {
      applyDefault(policy, hinted, { inherits, defaultMaxAge });
      overall.restrict(policy);
    }
    const isWhole = walkAnswer(selection, data, {
      kind: 'paths',
      field: ({ selected: { field }, path, isRoot }) => {
        if (this.#paths.has(path) || this.#paths.has(withoutIndexes(path))) return;
        const hinted = { field, returnType: field.type, isRoot };
        const { policy, inherits } = policyInSchema(hinted);
        applyDefault(policy, hinted, { inherits, defaultMaxAge });
        overall.restrict(policy);
      },
    });
    return isWhole ? overall : null;
  }
}

interface ResolverPolicy {
  readonly hinted: HintedField;
  readonly policy: CachePolicy;
  readonly inherits: boolean;
}

function resolverPolicy({ parentType, fieldName, returnType, path }: GraphQLResolveInfo): ResolverPolicy {
  const hinted = { field: parentType.getFields()[fieldName], returnType, isRoot: path.prev === undefined };
  const { policy, inherits } = policyInSchema(hinted);
  return { hinted, policy: new CheckedPolicy(policy), inherits };
}

/** The path that a batched resolver sees. */
function withoutIndexes(path: string): string {
  return path.replaceAll(/\.\d+(?=\.|$)/g, '');
}

/** The hints of an operation by its context value, the only object of the operation that a resolver has. */
const hintsOf = new WeakMap<object, ResolverHints>();
const prepared = new WeakSet<object>();

/**
 * Prepares the resolvers of a document for `info.cacheControl`. Fields without a resolver, and resolvers that do not receive `info`, are
 * unchanged. True when any resolver was prepared.
 */
export function prepareResolvers(schema: GraphQLSchema, document: DocumentNode): boolean {
  let mayHint = false;
  visitSelectedFields(schema, document, (field) => {
    const { resolve } = field;
    if (resolve === undefined || resolve === null || !(prepared.has(resolve) || seesInfo(resolve))) return;
    mayHint = true;
    if (prepared.has(resolve)) return;
    field.resolve = wrapResolver(resolve, withCacheControl);
    prepared.add(field.resolve);
  });
  return mayHint;
}

function withCacheControl(resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    const hints = typeof context === 'object' && context !== null ? hintsOf.get(context) : undefined;
    if (hints !== undefined) info.cacheControl = fieldCacheControl(info, hints);
    return resolve(source, args, context, info);
  };
}

/** Gives the prepared resolvers of one operation their `info.cacheControl`. Returns the hints of another operation with the same context value. */
export function offerCacheControl(contextValue: object, hints: ResolverHints): ResolverHints | undefined {
  const others = hintsOf.get(contextValue);
  hintsOf.set(contextValue, hints);
  return others;
}

/** Lazy: nothing is computed before a resolver uses it. Its functions may be destructured. */
function fieldCacheControl(info: GraphQLResolveInfo, hints: ResolverHints): ResolveInfoCacheControl {
  return {
    get cacheHint() {
      return hints.policyAt(info);
    },
    setCacheHint: (hint) => hints.policyAt(info).replace(hint),
    cacheHintFromType: annotationOfType,
  };
}

/** An instance of a class may be the context of several operations; a plain object is copied for each. */
export function isShareable(contextValue: unknown): boolean {
  return Object.getPrototypeOf(contextValue) !== Object.prototype;
}
