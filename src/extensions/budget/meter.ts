import type { GraphQLSchema } from 'graphql';

import { operationCost, recordBudget } from '../../server/for-extensions.ts';
import type { CostRules, Logger, OperationExecution, RequestCall, ServerStartContext } from '../../server/index.ts';
import { isPromiseLike, waitAtMost } from '../../shared/index.ts';
import type { Take, TakeResult } from '../stores/index.ts';
import { clientOf } from './client.ts';
import type { Client } from './client.ts';
import type { BudgetOptions } from './options.ts';
import { measured, planOf, pointsLeft, secondsUntil, takeOf } from './plan.ts';
import type { MeasuredPlan } from './plan.ts';
import { QuietLog } from './quiet-log.ts';
import { scarcer } from './rate-limit-fields.ts';
import type { Reading } from './rate-limit-fields.ts';
import { costAboveCapacity, rateLimited, storeUnavailable, unknownClient } from './refusals.ts';

/** Takes the points of operations. */
export class Meter {
  /** What the responses to requests will say. */
  readonly readings: WeakMap<RequestCall, Reading> = new WeakMap();
  readonly #options: BudgetOptions;
  /** Undefined if the plan depends on the context. */
  readonly #plan: MeasuredPlan | undefined;
  readonly #anonymous: MeasuredPlan | undefined;
  readonly #failures: QuietLog;
  readonly #unknown = new QuietLog(
    (operations) =>
      `The platform reported no address for anonymous clients: set clientAddress of budget. Operations that were refused since the last message: ${operations}.`,
  );
  #schema: GraphQLSchema | undefined;
  #rules: Required<CostRules> | undefined;
  #pageLimits: ServerStartContext['pageLimits'];
  #logger: Logger | undefined;
  #hasServed = false;

  constructor(options: BudgetOptions) {
    const { capacity, refillPerSecond, anonymous, whenStoreFails } = options;
    this.#options = options;
    this.#plan = typeof capacity === 'number' && typeof refillPerSecond === 'number' ? measured({ capacity, refillPerSecond }) : undefined;
    this.#anonymous = anonymous && measured(anonymous);
    const consequence = whenStoreFails === 'allow' ? 'ran without taking points' : 'were refused';
    this.#failures = new QuietLog(
      (operations, points) =>
        `The store of budget failed. Operations that ${consequence} since the last message: ${operations}, of ${points} points in total.`,
    );
  }

  /** A failed start is tried again. After a successful start, another schema means another server. */
  start({ schema, logger, pageLimits }: ServerStartContext, rules: Required<CostRules>): void {
    if (this.#hasServed && this.#schema !== schema)
      throw new Error(
        'Expected a separate budget() for each handler, got one that already serves another handler. They can share a store.',
      );
    this.#schema = schema;
    this.#rules = rules;
    this.#pageLimits = pageLimits;
    this.#logger = logger;
  }

  /** Throws a refusal. Operations without a cost, such as introspection, take no points. */
  meter(execution: OperationExecution): Promise<void> | undefined {
    this.#hasServed = true;
    this.#failures.flush(this.#logger!);
    const { schema, document, operation, request } = execution;
    const { variables } = request;
    const cost = operationCost(this.#rules!, { schema, document, operation, variables, pageLimits: this.#pageLimits });
    return cost === 0 ? undefined : this.#meter(execution, cost);
  }

  async #meter(execution: OperationExecution, cost: number): Promise<void> {
    const { contextValue, batchIndex } = execution;
    const call = execution.call!;
    const identity = await this.#options.identity(contextValue, call);
    if ((identity === undefined || identity === null) && this.#anonymous === undefined) throw unknownClient();
    const client = clientOf(this.#options, call, identity);
    if (client === undefined) {
      this.#unknown.add(this.#logger!, cost);
      throw unknownClient();
    }
    const plan = client.policy === 'anonymous' ? this.#anonymous! : (this.#plan ?? (await planOf(this.#options, contextValue)));
    // The cost of a list of infinite size is NaN if its items cost nothing.
    if (!(cost <= plan.capacity)) {
      this.#record(execution, { client, plan, cost, result: undefined });
      throw costAboveCapacity(cost, plan.capacity);
    }
    const take = takeOf(cost, plan);
    const result = await this.#take(client, take, cost);
    this.#record(execution, { client, plan, cost, result });
    const isBatched = batchIndex !== undefined;
    if (result === undefined) {
      if (this.#options.whenStoreFails === 'allow') return;
      throw storeUnavailable(isBatched);
    }
    if (!result.isTaken) throw rateLimited(cost, { left: pointsLeft(result, plan), wait: secondsUntil(take, result) }, isBatched);
  }

  /** Undefined: the store failed, or was late. A take may then have had its effect, so it is not repeated. */
  async #take({ id }: Client, take: Take, cost: number): Promise<TakeResult | undefined> {
    const { store, storeTimeout = 250 } = this.#options;
    try {
      const taking = store.take(id, take);
      if (!isPromiseLike(taking)) return assertResult(taking);
      const result = await waitAtMost(storeTimeout, Promise.resolve(taking));
      if (result === 'late') throw new Error(`The store gave no answer within ${storeTimeout} ms.`);
      return assertResult(result);
    } catch (error) {
      this.#failures.add(this.#logger!, cost, error);
      return undefined;
    }
  }

  #record({ call, response }: OperationExecution, { client: { policy }, plan, cost, result }: Taken): void {
    const left = result && pointsLeft(result, plan);
    recordBudget(response, { policy, capacity: plan.capacity, cost, left });
    const reading = { policy, plan, left, untilFull: Math.ceil((result?.untilFull ?? 0) / 1e6) };
    this.readings.set(call!, scarcer(this.readings.get(call!), reading));
  }
}

interface Taken {
  readonly client: Client;
  readonly plan: MeasuredPlan;
  readonly cost: number;
  /** Undefined: the store has failed, or was not asked. */
  readonly result: TakeResult | undefined;
}

/** A store of the user may return anything. */
function assertResult(result: TakeResult): TakeResult {
  if (typeof result?.isTaken === 'boolean' && result.untilFull >= 0) return result;
  throw new TypeError('Expected take of the store to return { isTaken, untilFull }.');
}
