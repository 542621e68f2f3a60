import { responsePathAsArray } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import type { ExecutionObserver } from '../../executor/index.ts';
import { annotationOfType } from './cache-hints/annotations.ts';
import { CheckedPolicy } from './cache-hints/checked-policy.ts';
import { applyDefault, policyInSchema } from './cache-hints/field-policy.ts';
import type { HintedField, ResolveInfoCacheControl } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CachePolicy } from './cache-hints/policy.ts';
import type { AnswerSelection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/** The hints that the resolvers of one operation give through `info.cacheControl`. */
export class ResolverHints implements ExecutionObserver {
  /** Hints by the `info` of the call, because a batched resolver may be called several times for one path. */
  readonly #policies = new Map<GraphQLResolveInfo, ResolverPolicy>();
  readonly #paths = new Set<string>();

  info(info: GraphQLResolveInfo): void {
    info.cacheControl = fieldCacheControl(info, this);
  }

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
  overall(selection: AnswerSelection, data: Answered, defaultMaxAge: number): CachePolicy | null {
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

/** Creates `info.cacheControl`, which computes nothing before a resolver uses it. Its functions may be destructured. */
function fieldCacheControl(info: GraphQLResolveInfo, hints: ResolverHints): ResolveInfoCacheControl {
  return {
    get cacheHint() {
      return hints.policyAt(info);
    },
    setCacheHint: (hint) => hints.policyAt(info).replace(hint),
    cacheHintFromType: annotationOfType,
  };
}
