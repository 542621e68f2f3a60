import { responsePathAsArray } from 'graphql';
import type { GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import type { ExecutionObserver } from '../../executor/index.ts';
import { annotationOfType } from './cache-hints/annotations.ts';
import { CheckedPolicy } from './cache-hints/checked-policy.ts';
import type { FieldHints, ResolveInfoCacheControl } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CachePolicy } from './cache-hints/policy.ts';
import type { AnswerSelection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/** The hints that the resolvers of one operation give through `info.cacheControl`. */
export class ResolverHints implements ExecutionObserver {
  readonly #schema: GraphQLSchema;
  readonly #hints: FieldHints;
  readonly #policies = new Map<GraphQLResolveInfo, ResolverPolicy>();
  /** Calls outside of lists, and batched calls, of which one path may have several. */
  readonly #withoutIndexes: GraphQLResolveInfo[] = [];

  constructor(schema: GraphQLSchema, hints: FieldHints) {
    this.#schema = schema;
    this.#hints = hints;
  }

  info(info: GraphQLResolveInfo): void {
    info.cacheControl = fieldCacheControl(info, this);
    if (!hasIndex(info.path)) this.#withoutIndexes.push(info);
  }

  /** True when no resolver has given a hint. */
  get isEmpty(): boolean {
    return this.#policies.size === 0;
  }

  /** The policy of a field, which its resolver may change. */
  policyAt(info: GraphQLResolveInfo): CachePolicy {
    const known = this.#policies.get(info) ?? this.#newPolicy(info);
    this.#policies.set(info, known);
    return known.policy;
  }

  /** The strictest of the resolvers' hints, and of the schema's for all other fields. Null: the answer is too large to search. */
  overall(selection: AnswerSelection, data: Answered): CachePolicy | null {
    const overall = newCachePolicy();
    for (const { policy, needsLifetime } of this.#policies.values())
      this.#hints.restrict(overall, { maxAge: policy.maxAge, scope: policy.scope, needsLifetime });
    const hinted = new Set(Array.from(this.#policies.keys(), keyOfCall));
    const unhinted = new Set(this.#withoutIndexes.filter((info) => !this.#policies.has(info)).map(keyOfCall));
    const isWhole = walkAnswer(selection, data, {
      kind: 'paths',
      field: ({ selected: { parent, field }, path, isRoot }) => {
        const key = keyOf(parent, path);
        if (hinted.has(key)) return;
        const ofBatch = withoutIndexes(key);
        if (hinted.has(ofBatch) && !unhinted.has(ofBatch)) return;
        this.#hints.restrict(overall, this.#hints.of({ schema: this.#schema, parent, field, isRoot }));
      },
    });
    return isWhole ? overall : null;
  }

  #newPolicy({ parentType: parent, fieldName, path }: GraphQLResolveInfo): ResolverPolicy {
    const field = parent.getFields()[fieldName]!;
    const hint = this.#hints.of({ schema: this.#schema, parent, field, isRoot: path.prev === undefined });
    const policy = newCachePolicy();
    policy.replace(hint);
    return { policy: new CheckedPolicy(policy), needsLifetime: hint.needsLifetime };
  }
}

interface ResolverPolicy {
  readonly policy: CachePolicy;
  readonly needsLifetime: boolean;
}

/** A hint counts for the fields of its parent type at its path. */
function keyOfCall({ parentType, path }: GraphQLResolveInfo): string {
  return keyOf(parentType, responsePathAsArray(path).join('.'));
}

function keyOf(parent: GraphQLObjectType, path: string): string {
  return `${parent.name} ${path}`;
}

/** The key of a batched call. */
function withoutIndexes(key: string): string {
  return key.replaceAll(/\.\d+(?=\.|$)/g, '');
}

function hasIndex({ key, prev }: GraphQLResolveInfo['path']): boolean {
  return typeof key === 'number' || (prev !== undefined && hasIndex(prev));
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
