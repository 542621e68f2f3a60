import type {
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import type { ExecutionInvocation } from '../../shared/index.ts';
import { Budget } from '../budget.ts';
import type { BudgetLimits } from '../budget.ts';
import { SharedInfo } from './shared-info.ts';
import type { VariableValues } from './shared-info.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import type { LineStarts } from './line-starts.ts';
import { joinObservers, observesFields } from './observer.ts';
import type { ExecutionObserver, FieldObserver } from './observer.ts';
import { Part } from './part.ts';

/** The arguments of a run. */
export interface RunSettings {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  /** Resolves fields without a resolver. Default: graphql-js's, which reads the parent's property. */
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /**
   * Number of rows of a selection before code is generated for it (generated-code.ts), which takes V8 about 5 ms.
   * Infinity: never. Default: 10,000.
   */
  readonly rowsBeforeCode?: number | undefined;
  /** Can cancel the execution. Default: it runs to its end. */
  readonly invocation?: ExecutionInvocation | undefined;
  /** The effect of errors on the response. Default: they propagate, unless the operation has graphql 17's directive against it. */
  readonly errorHandling?: ErrorHandling | undefined;
  /** Default: no limit. */
  readonly answerLimit?: BudgetLimits | undefined;
  /** Observes resolvers. Default: they are not observed. */
  readonly observer?: ExecutionObserver | undefined;
  /** Finds the likely cause of a value that does not match its field's type. Default: errors name no cause, as in graphql-js. */
  readonly explainMismatch?: ExplainMismatch | undefined;
  /** Lists may be asynchronous iterables, with graphql 16 too. Default: false */
  readonly takesAsyncIterables?: boolean | undefined;
  /** Default: the response has one part. */
  readonly parts?: PartLimits | undefined;
  /** If true, the run copies the given variables, which came from JSON, so that nobody can change them meanwhile. Default: false */
  readonly copiesVariables?: boolean | undefined;
}

/** Returns a sentence to append to the error's message, with a space before it, or an empty text. */
export type ExplainMismatch = (mismatch: Mismatch) => string;

/** A value that does not match the type of its field: null where that is not allowed, no list where one is expected, or a wrong leaf. */
export interface Mismatch {
  readonly info: GraphQLResolveInfo;
  /** The resolver; undefined if the value is a property of the parent object, or the result of its method. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly value: unknown;
  /** The parent object. Undefined at the root without a rootValue, and for values that were awaited. */
  readonly parent?: unknown;
}

/** The effect of an error on the response. */
export interface ErrorHandling {
  /** A null in a non-null position makes its parent null. Default: as the operation's directive says. */
  readonly propagates?: boolean;
  /** The first error ends the execution: `data` is null, and there are no other errors. Default: false */
  readonly halts?: boolean;
  /** Errors of a cancellation stay at their position, even if it is non-null. Default: false */
  readonly keepsFinished?: boolean;
}

/** How the response is divided into parts: see parts/. */
export interface PartLimits {
  /** The most parts of a response. */
  readonly maxParts: number;
}

/** The calls of batched fields that a run has not made yet: see batch/batch-calls.ts. */
export interface Batches {
  /** Ends the synchronous pass. Makes these calls if they are all that the run waits for. */
  finishFirstPass(): void;
}

/** The parts of a plan that a run uses. */
interface RunPlan {
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly propagatesErrors: boolean;
}

/** The state of one execution of a plan, as the fields of one part of the response see it. */
export class Run {
  readonly settings: RunSettings;
  readonly contextValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** True when the first error ends the execution. */
  readonly haltsOnError: boolean;
  /** The run of the first part, which holds the state that all parts share. */
  readonly root: Run;
  readonly part: Part;
  /** The deferred fragments around the objects: see parts/. */
  readonly scope: object | undefined;
  /** The values of the variables by name, in either major. */
  coerced: Readonly<Record<string, unknown>> = noVariables;
  observer: ExecutionObserver | undefined = undefined;
  /** The observer, if it is called in place of resolvers. */
  fieldObserver: FieldObserver | undefined = undefined;
  /** True if generated code may run the fields. */
  runsCode: boolean;
  readonly budget: Budget;
  readonly #plan: RunPlan;
  readonly #propagatesErrors: boolean;
  readonly #keepsFinished: boolean;

  // The following members are used on the root run only.
  #info: SharedInfo | undefined = undefined;
  /** In the installed major's shape: `{ sources, coerced }` in 17, the values themselves in 16. Undefined: there are no variables. */
  variableValues: VariableValues | undefined = undefined;
  /** True when nothing follows. */
  hasEnded = false;
  /** The waiting calls of batched fields, once such a field has been reached. */
  batches: Batches | undefined = undefined;
  /** The lines of the document. Undefined: no error has been located. */
  lineStarts: LineStarts | undefined = undefined;
  /** True when a value was asynchronous. */
  awaitsPromises = false;
  /** Set when the execution has been canceled. */
  cancelReason: Error | undefined = undefined;
  /** The only error of the response, which has ended the execution early: the response is too large, or errors halt. */
  endedBy: GraphQLError | undefined = undefined;
  /** The parts after the first, which also end then. */
  deliveries: { endWith(error: GraphQLError): void } | undefined = undefined;
  /** The error of a field's arguments, which is the same in each row. */
  #argumentErrors: Map<object, unknown> | undefined = undefined;

  constructor(
    settings: RunSettings,
    plan: RunPlan,
    within?: { readonly root: Run; readonly part: Part; readonly scope: object | undefined },
  ) {
    const root = within?.root;
    this.root = root ?? this;
    this.part = within?.part ?? new Part();
    this.scope = within?.scope;
    this.settings = settings;
    this.contextValue = settings.contextValue;
    this.fieldResolver = settings.fieldResolver;
    this.runsCode = settings.fieldResolver === undefined;
    this.budget = root?.budget ?? new Budget(settings.answerLimit, (error) => this.#endBy(error), settings.parts?.maxParts);
    const { errorHandling } = settings;
    this.haltsOnError = errorHandling?.halts ?? false;
    this.#plan = plan;
    this.#propagatesErrors = errorHandling?.propagates ?? plan.propagatesErrors;
    this.#keepsFinished = errorHandling?.keepsFinished ?? false;
    if (root === undefined) {
      if (settings.observer !== undefined) this.observe(settings.observer);
      return;
    }
    this.coerced = root.coerced;
    this.observer = root.observer;
    this.fieldObserver = root.fieldObserver;
    this.runsCode = root.runsCode;
  }

  /** The same execution for another part, or inside other deferred fragments. */
  derive(part: Part, scope: object | undefined): Run {
    return new Run(this.settings, this.#plan, { root: this.root, part, scope });
  }

  /** The members that the `info` objects of the execution share. */
  get info(): SharedInfo {
    return (this.root.#info ??= new SharedInfo(this.root, this.settings.invocation, this.#plan.fragments));
  }

  get finished(): boolean {
    return this.part.finished;
  }

  /** Applies what plugins chose after the variables were coerced. */
  choose({ observer }: Pick<RunSettings, 'observer'>): void {
    if (observer !== undefined) this.observe(observer);
  }

  /** Adds an observer around the present one. */
  observe(observer: ExecutionObserver): void {
    this.observer = joinObservers([observer, this.observer]);
    this.fieldObserver = observesFields(this.observer) ? this.observer : undefined;
    this.runsCode &&= this.fieldObserver === undefined;
  }

  /** Called after construction, so that coercion counts toward the limits of this run. */
  setVariables(values: VariableValues): void {
    this.variableValues = values;
    this.coerced = coercedOf(values);
  }

  /** Adds an error to the part, up to a limit. */
  record(error: GraphQLError): void {
    if (this.budget.takeError()) (this.part.errors ??= []).push(error);
  }

  /** Counts an error above that limit. Fields that fail because of a cancellation take no time. */
  countError(thrown: unknown): void {
    if (this.root.cancelReason === undefined) this.budget.countError(thrown);
  }

  /** Rethrows an earlier error of a field's arguments: coercing large arguments again for each row would be slow. */
  coerceArguments<T>(field: object, make: () => T): T {
    const { root } = this;
    if (root.#argumentErrors?.has(field) === true) throw root.#argumentErrors.get(field);
    try {
      return make();
    } catch (error) {
      (root.#argumentErrors ??= new Map()).set(field, error);
      throw error;
    }
  }

  /** True if an error makes its position's parent null, when the position is non-null. */
  propagates(thrown: unknown): boolean {
    return this.#propagatesErrors && !(this.#keepsFinished && thrown === this.root.cancelReason);
  }

  /** Ends the execution with its first error. Returns the error. */
  halt(error: GraphQLError): GraphQLError {
    this.root.#endBy(error);
    this.settings.invocation?.stop?.(error);
    return error;
  }

  #endBy(error: GraphQLError): void {
    if (this.endedBy !== undefined) return;
    this.endedBy = error;
    this.cancelReason = error;
    if (this.deliveries === undefined) this.finish(null);
    else this.deliveries.endWith(error);
  }

  /** Ends the part with an error that reached its root. */
  fail(error: GraphQLError): void {
    this.record(error);
    this.part.failure = error;
    this.finish(null);
  }

  /** Ends the part. `data`: null when an error reached the root. */
  finish(data: unknown): void {
    this.part.finish(data);
  }

  /** Ends the execution: nothing follows. */
  end(): void {
    this.hasEnded = true;
    this.#info?.end();
  }

  /** The first part as a result. */
  get result(): ExecutionResult {
    const { endedBy } = this;
    const { data, errors, later } = this.part;
    if (later === undefined) this.end();
    if (endedBy !== undefined) return endedBy === this.budget.exceededBy ? { errors: [endedBy] } : { errors: [endedBy], data: null };
    return (errors === undefined ? { data } : { errors, data }) as ExecutionResult;
  }
}

const noVariables: Readonly<Record<string, unknown>> = Object.freeze({});

export function coercedOf(variableValues: VariableValues): Readonly<Record<string, unknown>> {
  return isGraphQL17 ? variableValues.coerced : (variableValues as unknown as Record<string, unknown>);
}
