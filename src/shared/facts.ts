import type { DocumentNode, GraphQLNamedType, OperationDefinitionNode } from 'graphql';

/** Values that plugins share about a request or an operation: each plugin can set facts, and reads the facts whose keys it knows. */
export type Facts = Pick<Map<string | symbol, unknown>, 'get' | 'set'>;

/** The fact "limits" of a server. */
export interface LimitsFact {
  /** The highest cost of an operation. Undefined: any cost. */
  readonly maxCost: number | undefined;
  /** The cost of an operation, and the path of the field that most of it comes from, such as "shop.orders", by aliases. Refuses nothing. */
  costliest(priced: {
    readonly document: DocumentNode;
    readonly operation: OperationDefinitionNode;
    readonly variableValues: Readonly<Record<string, unknown>>;
  }): { readonly cost: number; readonly costliest: string };
}

/** One rule of `authorization()`, with exactly one of the members. The outer lists are OR, the inner ones AND. */
export interface RightsRule {
  readonly authenticated?: true;
  readonly scopes?: readonly (readonly string[])[];
  readonly policies?: readonly (readonly string[])[];
}

/**
 * The fact "rights" of a server with `authorization()`. The fact "rights" of an operation is the list of the rules that it needs with its
 * variables.
 */
export interface RightsFact {
  /** The rules that an operation needs whatever its variables are: conditions by variables count as left out. Throws for wrong rules. */
  needsOf(document: DocumentNode, operation: OperationDefinitionNode): readonly RightsRule[];
  /** The rules that a field needs, with those of its type; of an interface, for all its objects. Throws for wrong rules. */
  rulesOf(type: GraphQLNamedType, field: string): readonly RightsRule[];
  /**
   * Returns a function that says whether a caller meets rules. It asks `claims` once, and each policy at most once. It rejects if `claims`
   * fails. False if `rules` throws, which is logged.
   */
  callerOf(
    contextValue: unknown,
    logger: { error(message: string, error: unknown): void },
  ): (rules: () => readonly RightsRule[]) => Promise<boolean>;
}

/** A rule for reports: `authenticated`, `scopes a & b | c` or `policies owner`. */
export function textOfRule({ scopes, policies }: RightsRule): string {
  const alternatives = (scopes ?? policies ?? []).map((all) => all.join(' & ')).join(' | ') || 'none';
  return scopes !== undefined ? `scopes ${alternatives}` : policies !== undefined ? `policies ${alternatives}` : 'authenticated';
}

/** The fact "edge" of a request: whether the answer may be shared. */
export interface AnswerDecision {
  /** True if a cache may keep the answer; undefined until the decision is known. */
  readonly public?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly hit?: true | undefined;
}

/** The fact "budget" of an operation: the points that it has taken from its client. */
export interface BudgetReport {
  /** The name of the client's policy: 'default' or 'anonymous'. */
  readonly policy: string;
  /** The most points that the client can have. */
  readonly capacity: number;
  /** The points of the operation. */
  readonly cost: number;
  /** The points that are left. Undefined: the store has failed, or was not asked. */
  readonly left?: number | undefined;
}

/** The fact "original" of a request: the call without the view of `edge`, which records reads. */
const original = 'original';

/** Remembers the call that a view shows. */
export function rememberOriginal(call: { readonly facts: Facts }): void {
  call.facts.set(original, call);
}

/** For reads that do not change the answer, only whether and with which fields it is sent. */
export function originalOf<T extends { readonly facts: Facts }>(call: T): T {
  return (call.facts.get(original) as T | undefined) ?? call;
}

/**
 * The fact "idempotency" of a server: whether a mutation must have the header Idempotency-Key. Undefined: it cannot, as it has `@idempotent`.
 */
export type NeedsKey = (mutation: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode }) => boolean | undefined;

/** The fact "idempotency" of an operation with a key: how the key was used. */
export type RunDecision = 'claimed' | 'replayed' | 'refused';
