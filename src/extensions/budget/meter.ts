import { costOf } from '../limits/index.ts';
import type { OperationExecution, ServerStartContext } from '../../server/index.ts';
import { toPromise, waitAtMost, whenReady } from '../../shared/index.ts';
import type { BudgetReport, Milliseconds, PromiseOrValue } from '../../shared/index.ts';
import type { Take, TakeResult } from '../stores/index.ts';
import { clientOf } from './client.ts';
import type { Client } from './client.ts';
import type { BudgetOptions } from './options.ts';
import { measured, planOf, pointsLeft, secondsUntil, takeOf } from './measured-plan.ts';
import type { MeasuredPlan } from './measured-plan.ts';
import type { BudgetEntry } from './rate-limit-fields.ts';
import { QuietLog } from './quiet-log.ts';
import { costAboveCapacity, rateLimited, refusal } from './refusals.ts';

/** The fact of a request: what header fields say of the points that its operations took. */
export const entriesOfBudget: unique symbol = Symbol('budget');

const unknownClient = 'Operations take points here, which needs a known client.';

/** Takes the points of operations. */
export class Meter {
  readonly #options: BudgetOptions;
  /** Undefined if the plan depends on the context. */
  readonly #plan: MeasuredPlan | undefined;
  readonly #anonymous: MeasuredPlan | undefined;
  readonly #failures: QuietLog;
  readonly #unknown = new QuietLog(
    (operations) =>
      `The platform reports no address of anonymous clients: set clientAddress of budget. Operations refused since the last message: ${operations}.`,
  );
  #server: ServerStartContext | undefined;
  #hasServed = false;

  constructor(options: BudgetOptions) {
    const { capacity, refillPerSecond, anonymous, whenStoreFails } = options;
    this.#options = options;
    this.#plan = typeof capacity === 'number' && typeof refillPerSecond === 'number' ? measured({ capacity, refillPerSecond }) : undefined;
    this.#anonymous = anonymous && measured(anonymous);
    const consequence = whenStoreFails === 'allow' ? 'that took no points' : 'refused';
    this.#failures = new QuietLog(
      (operations, points) =>
        `The store of budget failed. Operations ${consequence} since the last message: ${operations}, of ${points} points in total.`,
    );
  }

  /** A failed start is tried again. After a successful start, another schema means another server. */
  start(server: ServerStartContext): void {
    if (this.#hasServed && this.#server?.schema !== server.schema)
      throw new Error('Expected a separate budget() for each handler, got one that already serves another handler.');
    this.#server = server;
  }

  /**
   * Throws a refusal. Operations without a cost, such as introspection, take no points. Creates no promise unless the user or the store
   * does: an asynchronous hook takes longer than all else here.
   */
  meter(execution: OperationExecution): PromiseOrValue<void> {
    this.#hasServed = true;
    this.#failures.flush(this.#server!.logger);
    const cost = costOf(this.#server!, execution);
    if (cost === 0) return undefined;
    const identity = this.#options.identity(execution.contextValue, execution.call);
    return whenReady(toPromise(identity), (found) => this.#meterClient(execution, cost, found));
  }

  #meterClient(execution: OperationExecution, cost: number, identity: string | null | undefined): PromiseOrValue<void> {
    if ((identity === undefined || identity === null) && this.#anonymous === undefined) throw refusal('UNAUTHENTICATED', unknownClient);
    const client = clientOf(this.#options, execution.call, identity);
    if (client === undefined) {
      this.#unknown.add(this.#server!.logger, cost);
      throw refusal('UNAUTHENTICATED', unknownClient);
    }
    const plan = client.policy === 'anonymous' ? this.#anonymous! : (this.#plan ?? planOf(this.#options, execution.contextValue));
    return whenReady(plan, (known) => this.#meterPlan(execution, { client, plan: known, cost }));
  }

  #meterPlan(execution: OperationExecution, purchase: Purchase): PromiseOrValue<void> {
    const { client, plan, cost } = purchase;
    // The cost of a list of infinite size is NaN if its items cost nothing.
    if (!(cost <= plan.capacity)) {
      this.#record(execution, purchase, undefined);
      throw costAboveCapacity(cost, plan.capacity);
    }
    const take = { ...takeOf(cost, plan), ...(client.policy === 'anonymous' && { isAnonymous: true }) };
    return whenReady(this.#take(client, take, cost), (result) => this.#end(execution, purchase, { take, result }));
  }

  #end(execution: OperationExecution, purchase: Purchase, { take, result }: Taken): void {
    this.#record(execution, purchase, result);
    const isBatched = execution.batchIndex !== undefined;
    if (result === undefined) {
      if (this.#options.whenStoreFails === 'allow') return;
      throw refusal('BUDGET_STORE_UNAVAILABLE', 'The points of the client are unknown now: nothing was run.', { retryAfter: 1 }, isBatched);
    }
    const { cost, plan } = purchase;
    if (!result.isTaken) throw rateLimited(cost, { left: pointsLeft(result, plan), wait: secondsUntil(take, result) }, isBatched);
  }

  /** Undefined: the store failed, or was late. A take may then have had its effect, so it is not repeated. */
  #take({ id }: Client, take: Take, cost: number): PromiseOrValue<TakeResult | undefined> {
    const fail = (error: unknown): undefined => {
      this.#failures.add(this.#server!.logger, cost, error);
      return undefined;
    };
    const { store, storeTimeout = 250 } = this.#options;
    try {
      const taking = toPromise(store.take(id, take));
      return taking instanceof Promise ? inTime(taking, storeTimeout).catch(fail) : assertResult(taking);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  #record({ call, facts }: OperationExecution, { client: { policy }, plan, cost }: Purchase, result: TakeResult | undefined): void {
    const left = result && pointsLeft(result, plan);
    const report: BudgetReport = { policy, capacity: plan.capacity, cost, left };
    facts.set('budget', report);
    (call.facts.get(entriesOfBudget) as BudgetEntry[]).push({
      report,
      policy: `"${policy}";${plan.parameters}`,
      limit: result && `"${policy}";r=${left};t=${Math.ceil(result.untilFull / 1e6)}`,
    });
  }
}

/** What a client wants to take. */
interface Purchase {
  readonly client: Client;
  readonly plan: MeasuredPlan;
  readonly cost: number;
}

interface Taken {
  readonly take: Take;
  /** Undefined: the store has failed. */
  readonly result: TakeResult | undefined;
}

async function inTime(taking: Promise<TakeResult>, limit: Milliseconds): Promise<TakeResult> {
  const result = await waitAtMost(limit, taking);
  if (result === 'late') throw new Error(`The store gave no answer within ${limit} ms.`);
  return assertResult(result);
}

/** A store of the user may return anything. */
function assertResult(result: TakeResult): TakeResult {
  if (typeof result?.isTaken === 'boolean' && Number.isFinite(result.untilFull) && result.untilFull >= 0) return result;
  throw new TypeError('Expected take of the store to return { isTaken, untilFull }, with a finite number that is not negative.');
}
