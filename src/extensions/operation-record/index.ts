import type { GraphQLError } from 'graphql';

import { errorHashOf, getOrCreate, sha256, textOfRule } from '../../shared/index.ts';
import type { BudgetReport, RightsRule, RunDecision } from '../../shared/index.ts';
import type { ErrorBehavior, OperationCall, OperationOutcome, PayloadOutcome } from '../../server/index.ts';

/** The facts known of an operation at its end. Entries that do not apply are absent. */
export interface OperationDescription {
  readonly name?: string;
  readonly type?: 'query' | 'mutation' | 'subscription';
  /** SHA-256 of the document, as clients send it with persisted queries. */
  readonly hash?: string;
  /** The effect of errors on the answer, if the request or the trusted document names one. */
  readonly onError?: ErrorBehavior;
  /** With the extension `idempotency`, for an operation with a key: it ran, its stored answer was sent, or it was refused. */
  readonly idempotency?: RunDecision;
  /** With the extension `budget`: the points that the operation cost, and those that its client has left. */
  readonly budget?: BudgetReport;
  /** With the extension `authorization`: the rules of the selected fields, if there are any, such as "scopes read:books". */
  readonly needs?: readonly string[];
}

/** The most errors that are kept; all are counted. */
const maxErrors = 10;

/** Collects the facts about one operation that every plugin reports. */
export class OperationRecord {
  readonly start: number = performance.now();
  /** Milliseconds from the start to the latest answer. */
  milliseconds = 0;
  outcome: OperationOutcome | undefined;
  /** The number of errors by `extensions.code`. */
  readonly codes: Map<string, number> = new Map();
  /** The number of unexpected errors by `errorHash`. */
  readonly hashes: Map<string, number> = new Map();
  /** The first errors, as they were thrown. */
  readonly errors: GraphQLError[] = [];
  #latest: object | undefined;
  readonly #facts: OperationCall['facts'];

  private constructor(facts: OperationCall['facts']) {
    this.#facts = facts;
  }

  /** The record of an operation: the same for all plugins. */
  static of({ facts }: Pick<OperationCall, 'facts'>): OperationRecord {
    return getOrCreate(facts, ownFact, () => new OperationRecord(facts)) as OperationRecord;
  }

  /** Adds the outcome, or an answer after it. Each plugin calls this; an answer counts once. */
  add(answer: OperationOutcome | PayloadOutcome): void {
    if (answer === this.#latest) return;
    this.#latest = answer;
    this.milliseconds = performance.now() - this.start;
    if ('head' in answer) this.outcome = answer;
    for (const error of answer.errors) {
      if (this.errors.length < maxErrors) this.errors.push(error);
      increment(this.codes, codeOf(error));
      const hash = errorHashOf(error);
      if (hash !== undefined) increment(this.hashes, hash);
    }
  }

  describe(): OperationDescription {
    const { operation, source, onError } = this.outcome ?? {};
    const idempotency = this.#facts.get('idempotency') as RunDecision | undefined;
    const budget = this.#facts.get('budget') as BudgetReport | undefined;
    const rules = this.#facts.get('rights') as readonly RightsRule[] | undefined;
    return {
      ...(operation?.name && { name: operation.name.value }),
      ...(operation && { type: operation.operation }),
      ...(operation && source !== undefined && { hash: documentHash(source) }),
      ...(onError && { onError }),
      ...(idempotency && { idempotency }),
      ...(budget && { budget }),
      ...(rules?.length && { needs: rules.map(textOfRule) }),
    };
  }
}

/** Hashes of short documents: a map of long ones would keep much memory. */
const documentHashes = new Map<string, string>();

function documentHash(source: string): string {
  const hash = documentHashes.get(source) ?? sha256(source);
  if (documentHashes.size === 500) documentHashes.clear();
  if (source.length <= 4096) documentHashes.set(source, hash);
  return hash;
}

const ownFact = Symbol('operation record');

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The error's `extensions.code`, or INTERNAL_SERVER_ERROR without a code. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly extensions?: { readonly code?: unknown } }).extensions?.code;
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}
