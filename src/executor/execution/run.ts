import type {
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
} from 'graphql';

import { withoutStacks } from '../../shared/index.ts';
import type { ExecutionInvocation } from '../../shared/index.ts';
import type { Batches } from './batch/batches.ts';
import { Budget } from './budget.ts';
import type { BudgetLimits } from './budget.ts';
import { InfoParts } from './info-parts.ts';
import type { VariableValues } from './info-parts.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import type { LineStarts } from './complete/line-starts.ts';
import type { ObjectLog } from './object-log.ts';
import { joinObservers, observesFields } from './observer.ts';
import type { ExecutionObserver, FieldObserver } from './observer.ts';

/** The arguments of a run. */
export interface RunSettings {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  /** Resolves fields without a resolver. Default: graphql-js's, which reads the parent's property. */
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Resolves abstract types without `resolveType`. Default: graphql-js's. */
  readonly typeResolver?: GraphQLTypeResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /**
   * Number of rows of a selection before code is generated for it (rows.ts), which costs as much as some hundred rows without it.
   * Infinity: never. Default: 1,000.
   */
  readonly rowsBeforeCode?: number | undefined;
  /** Can cancel the execution. Default: it runs to its end. */
  readonly invocation?: ExecutionInvocation | undefined;
  /** What errors do to the response. Default: they propagate, unless the operation has graphql 17's directive against it. */
  readonly errorHandling?: ErrorHandling | undefined;
  /** Default: no limit. */
  readonly answerLimit?: BudgetLimits | undefined;
  /** Lists the objects of the response. Default: they are not listed. */
  readonly objects?: ObjectLog | undefined;
  /** Observes resolvers. Default: they are not observed. */
  readonly observer?: ExecutionObserver | undefined;
}

/** What an error does to the response. */
export interface ErrorHandling {
  /** A null in a non-null position makes its parent null. Default: as the operation's directive says. */
  readonly propagates?: boolean;
  /** The first error ends the execution: `data` is null, and there are no other errors. Default: false */
  readonly halts?: boolean;
  /** Errors of a cancellation stay at their position, even if it is non-null. Default: false */
  readonly keepsFinished?: boolean;
}

/** The parts of a plan that a run uses. */
interface RunPlan {
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  readonly propagatesErrors: boolean;
}

/** The state of one execution of a plan. */
export class Run {
  readonly settings: RunSettings;
  readonly contextValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** True when the first error ends the execution. */
  readonly haltsOnError: boolean;
  /** The values of the variables by name, in either major. */
  coerced: Readonly<Record<string, unknown>> = noVariables;
  /** Undefined: no batched field has been reached. */
  batches: Batches | undefined = undefined;
  /** The work of copying the values of variables that have been used in literals. */
  workOfVariables: Map<string, number> | undefined = undefined;
  /** The lines of the document. Undefined: no error has been located. */
  lineStarts: LineStarts | undefined = undefined;
  /** True when a value was asynchronous. */
  awaitsPromises = false;
  /** True when the result has been returned: later values are dropped. */
  finished = false;
  /** Set when the execution has been canceled. */
  cancelReason: Error | undefined = undefined;
  /** Receives the result of an asynchronous run. */
  onFinish: ((result: ExecutionResult) => void) | undefined = undefined;
  /** The only error of the response, which has ended the execution early: the response is too large, or errors halt. */
  endedBy: GraphQLError | undefined = undefined;
  readonly objects: ObjectLog | undefined;
  observer: ExecutionObserver | undefined = undefined;
  /** The observer, if it is called in place of resolvers. */
  fieldObserver: FieldObserver | undefined = undefined;
  readonly budget: Budget;
  /** What the `info` objects of its resolvers share. */
  readonly info: InfoParts;
  readonly #propagatesErrors: boolean;
  readonly #keepsFinished: boolean;
  /** The error of a field's arguments, which is the same in each row. */
  #argumentErrors: Map<object, unknown> | undefined = undefined;
  #errors: GraphQLError[] | undefined = undefined;

  constructor(settings: RunSettings, plan: RunPlan) {
    this.settings = settings;
    this.contextValue = settings.contextValue;
    this.fieldResolver = settings.fieldResolver;
    this.objects = settings.objects;
    if (settings.observer !== undefined) this.observe(settings.observer);
    this.budget = new Budget(settings.answerLimit, (error) => this.#endBy(error));
    this.info = new InfoParts(settings.invocation, plan.fragmentDefinitions);
    const { errorHandling } = settings;
    this.haltsOnError = errorHandling?.halts ?? false;
    this.#propagatesErrors = errorHandling?.propagates ?? plan.propagatesErrors;
    this.#keepsFinished = errorHandling?.keepsFinished ?? false;
  }

  /** Adds an observer, around the one that there is. */
  observe(observer: ExecutionObserver): void {
    this.observer = joinObservers([observer, this.observer]);
    this.fieldObserver = observesFields(this.observer) ? this.observer : undefined;
  }

  /** Variables are coerced after the run is created, because that counts as its work. */
  setVariables(values: VariableValues): void {
    this.info.variableValues = values;
    this.coerced = coercedOf(values);
  }

  /** Adds an error to the result, up to a limit. */
  record(error: GraphQLError): void {
    if (this.budget.takeError()) (this.#errors ??= []).push(error);
  }

  /** Counts an error above that limit. Fields that fail because of a cancellation take no time. */
  countError(thrown: unknown): void {
    if (this.cancelReason === undefined) this.budget.countError(thrown);
  }

  /** Rethrows an earlier error of a field's arguments: coercing large arguments again for each row would be slow. */
  coerceArguments<T>(field: object, make: () => T): T {
    if (this.#argumentErrors?.has(field) === true) throw this.#argumentErrors.get(field);
    try {
      return make();
    } catch (error) {
      (this.#argumentErrors ??= new Map()).set(field, error);
      throw error;
    }
  }

  /** True if an error makes its position's parent null, when the position is non-null. */
  propagates(thrown: unknown): boolean {
    return this.#propagatesErrors && !(this.#keepsFinished && thrown === this.cancelReason);
  }

  /** Ends the run with its first error. Returns the error. */
  halt(error: GraphQLError): GraphQLError {
    this.#endBy(error);
    this.settings.invocation?.stop?.(error);
    return error;
  }

  #endBy(error: GraphQLError): void {
    if (this.endedBy !== undefined) return;
    this.endedBy = error;
    this.cancelReason = error;
    if (this.onFinish !== undefined) this.finish(null);
  }

  /** Ends the run. `data`: null when an error reached the root. */
  finish(data: unknown): ExecutionResult {
    this.finished = true;
    if (this.objects !== undefined) this.objects.isComplete = true;
    this.info.end();
    const result = this.#resultOf(data);
    this.onFinish?.(result);
    return result;
  }

  #resultOf(data: unknown): ExecutionResult {
    const { endedBy } = this;
    if (endedBy !== undefined) return endedBy === this.budget.exceededBy ? { errors: [endedBy] } : { errors: [endedBy], data: null };
    return (this.#errors === undefined ? { data } : { errors: this.#errors, data }) as ExecutionResult;
  }

  /** Cancels the run: each pending position fails with this reason, and the rest is the result. */
  stopWaiting(pending: { stopWaiting(reason: Error): void }, reason: Error): void {
    if (this.finished) return;
    this.cancelReason = reason;
    // 20,000 errors take 640 ms with stack traces, which are all the same, and 300 without.
    withoutStacks(() => pending.stopWaiting(reason));
  }
}

const noVariables: Readonly<Record<string, unknown>> = Object.freeze({});

export function coercedOf(variableValues: VariableValues): Readonly<Record<string, unknown>> {
  return isGraphQL17 ? variableValues.coerced : (variableValues as unknown as Record<string, unknown>);
}
