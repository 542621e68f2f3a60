import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import type { ExecutionObserver } from '../../executor/index.ts';
import { getOrCreate } from '../../shared/index.ts';
import { cacheControlOf } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CachePolicy } from './cache-hints/policy.ts';
import type { FieldHint, OverallPolicy, SchemaHints } from './schema-hints.ts';
import type { Place } from './selection.ts';

/** The calls of the resolver of one selected field of one type. */
interface Calls {
  count: number;
  /** The number of calls that have used `info.cacheControl`. */
  hinted: number;
}

/** The hints that the resolvers of one operation give through `info.cacheControl`. */
export class ResolverHints implements ExecutionObserver {
  readonly #schema: GraphQLSchema;
  readonly #hints: SchemaHints;
  readonly #calls = new Map<FieldNode, Map<GraphQLObjectType, Calls>>();
  readonly #policies: { readonly policy: CachePolicy; readonly hint: FieldHint }[] = [];

  constructor(schema: GraphQLSchema, hints: SchemaHints) {
    this.#schema = schema;
    this.#hints = hints;
  }

  info(info: GraphQLResolveInfo): void {
    this.#callsOf(info.parentType, info.fieldNodes[0]!).count++;
    info.cacheControl = cacheControlOf(() => this.#newPolicy(info));
  }

  /** True when no resolver has given a hint. */
  get isEmpty(): boolean {
    return this.#policies.length === 0;
  }

  /**
   * Computes the strictest hint of an operation. Hints of resolvers replace the schema's hint for their field and parent type if every call
   * of the field has given a hint.
   */
  overall(root: Place): OverallPolicy {
    const overall: OverallPolicy = newCachePolicy();
    for (const { policy, hint } of this.#policies) this.#hints.restrict(overall, { ...hint, maxAge: policy.maxAge, scope: policy.scope });
    return this.#hints.restrictAll(overall, this.#schema, root, ({ parent, nodes }) => {
      const { count, hinted } = this.#callsOf(parent, nodes[0]!);
      return count > 0 && count <= hinted;
    });
  }

  #callsOf(parent: GraphQLObjectType, node: FieldNode): Calls {
    const ofNode = getOrCreate(this.#calls, node, () => new Map());
    return getOrCreate(ofNode, parent, () => ({ count: 0, hinted: 0 }));
  }

  #newPolicy({ parentType: parent, fieldName, fieldNodes }: GraphQLResolveInfo): CachePolicy {
    this.#callsOf(parent, fieldNodes[0]!).hinted++;
    const hint = this.#hints.ofField(this.#schema, parent, parent.getFields()[fieldName]!);
    const policy = newCachePolicy();
    policy.replace(hint);
    this.#policies.push({ policy, hint });
    return policy;
  }
}
