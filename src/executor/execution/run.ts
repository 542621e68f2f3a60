import type {
  ExecutionResult,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
} from 'graphql';

import { withoutStacks } from '../../shared/index.ts';
import type { ExecutionInvocation } from '../../shared/index.ts';
import type { Batches } from './batch/batches.ts';
import { createAsyncHelpers, fragmentsByName } from './info-parts.ts';
import type { AsyncHelpers } from './info-parts.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import type { LineStarts } from './complete/line-starts.ts';
import { lengthOfJSON, longText, maxRecordedErrors, minRecordedErrors, sizeOfAliasedNumber, workOf } from './costs.ts';
import type { ObjectLog } from './object-log.ts';
import type { FieldTracer } from './trace-execution.ts';

/** Limits the size of a response while it is built. Sizes are characters of JSON, rounded down. */
export interface AnswerBudget {
  /** `grow` need not be called up to this size. */
  readonly free: number;
  /** Returns the size at which to call it again. `hasWork`: the size includes work. Throws a GraphQLError when the response is too large. */
  grow(size: number, hasWork: boolean): number;
  /** Units of work that are free, and the size that each further unit counts for: see {@link workOf}. */
  readonly freeWork: number;
  readonly sizeOfWork: number;
  /** Errors that the operations of a batch may still record together. Undefined outside a batch. */
  readonly sharedErrors?: { left: number } | undefined;
}

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
  readonly answerLimit?: AnswerBudget | undefined;
  /** Lists the objects of the response. Default: they are not listed. */
  readonly objects?: ObjectLog | undefined;
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

/** A field of the plan. */
interface SelectedField {
  readonly nodes: readonly FieldNode[];
}

export type VariableValues = GraphQLResolveInfo['variableValues'];
/** The parts that all `info` objects of one execution share. The last two exist in graphql 17 only. */
interface InfoParts {
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly variableValues: VariableValues;
  /** The AbortController is created for the first resolver that calls this. */
  readonly getAbortSignal: () => AbortSignal;
  readonly getAsyncHelpers: () => AsyncHelpers;
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
  /** Publishes the events of each resolver. Undefined: the channels have no subscribers. */
  fieldTracer: FieldTracer | undefined = undefined;
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
  readonly #plan: RunPlan;
  readonly #propagatesErrors: boolean;
  readonly #keepsFinished: boolean;
  #isTooLarge = false;
  /** In the installed major's shape: `{ sources, coerced }` in 17, the values themselves in 16. Undefined: there are no variables. */
  #variableValues: VariableValues | undefined = undefined;
  /** The error of a field's arguments, which is the same in each row. */
  #argumentErrors: Map<object, unknown> | undefined = undefined;
  #nodes: Map<SelectedField, FieldNode[]> | undefined = undefined;
  #infoParts: InfoParts | undefined = undefined;
  #size = 0;
  #maxSize: number;
  #freeWork: number;
  #errors: GraphQLError[] | undefined = undefined;
  #sharedError: unknown = none;
  #abortController: AbortController | undefined = undefined;

  constructor(settings: RunSettings, plan: RunPlan) {
    this.settings = settings;
    this.contextValue = settings.contextValue;
    this.fieldResolver = settings.fieldResolver;
    this.objects = settings.objects;
    this.#plan = plan;
    const { errorHandling } = settings;
    this.haltsOnError = errorHandling?.halts ?? false;
    this.#propagatesErrors = errorHandling?.propagates ?? plan.propagatesErrors;
    this.#keepsFinished = errorHandling?.keepsFinished ?? false;
    this.#maxSize = settings.answerLimit?.free ?? Infinity;
    this.#freeWork = settings.answerLimit?.freeWork ?? Infinity;
  }

  /** Variables are coerced after the run is created, because that counts as its work. */
  setVariables(values: VariableValues): void {
    this.#variableValues = values;
    this.coerced = coercedOf(values);
  }

  infoParts(): InfoParts {
    return (this.#infoParts ??= this.#createInfoParts());
  }

  /** `info.fieldNodes`: one array per field and execution, because resolvers key their loaders by it and may modify it. */
  nodesOf(field: SelectedField): FieldNode[] {
    this.#nodes ??= new Map();
    let nodes = this.#nodes.get(field);
    if (nodes === undefined) this.#nodes.set(field, (nodes = field.nodes.slice()));
    return nodes;
  }

  /** Adds an error to the result, up to a limit. */
  record(error: GraphQLError): void {
    if (this.hasManyErrors) return;
    (this.#errors ??= []).push(error);
    const shared = this.settings.answerLimit?.sharedErrors;
    if (shared !== undefined) shared.left--;
  }

  /** Counts an error above that limit: a million failing fields take seconds. Fields that fail because of a cancellation take no time. */
  countError(thrown: unknown): void {
    if (this.cancelReason !== undefined || thrown === this.#sharedError) return;
    this.#addWork(workOf.error);
    if (this.#size > this.#maxSize) this.#extend();
  }

  /** Fails fields that share an error, which counts once. */
  shareError(error: unknown, failFields: () => void): void {
    if (this.hasManyErrors) this.countError(error);
    const before = this.#sharedError;
    this.#sharedError = error;
    try {
      failFields();
    } finally {
      this.#sharedError = before;
    }
  }

  /** True when further errors are only counted. */
  get hasManyErrors(): boolean {
    const kept = this.#errors?.length ?? 0;
    if (kept < minRecordedErrors) return false;
    return kept >= maxRecordedErrors || (this.settings.answerLimit?.sharedErrors?.left ?? 1) <= 0;
  }

  /** Adds characters to the size of the response. Throws when it is too large: then the run has ended. */
  grow(size: number): void {
    this.#size += size;
    if (this.#size <= this.#maxSize) return;
    this.#extend();
    if (this.endedBy !== undefined) throw this.endedBy;
  }

  /** Counts units of work. Throws as `grow` does. */
  spend(work: number): void {
    this.#addWork(work);
    this.grow(0);
  }

  #addWork(work: number): void {
    this.#freeWork -= work;
    if (this.#freeWork < 0) this.#size += Math.min(work, -this.#freeWork) * this.settings.answerLimit!.sizeOfWork;
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

  /** Adds the size of a leaf value. Exact only for aliased fields, which may repeat a value a thousand times. */
  growByLeaf(value: unknown, isAliased: boolean): void {
    if (typeof value === 'string') this.grow(isAliased && value.length > longText ? JSON.stringify(value).length : value.length);
    else if (isAliased && typeof value === 'number') this.grow(sizeOfAliasedNumber);
    else if (isAliased && typeof value === 'object' && value !== null) this.grow(lengthOfJSON(value));
  }

  #extend(): void {
    if (this.endedBy !== undefined) return;
    try {
      this.#maxSize = this.settings.answerLimit!.grow(this.#size, this.#freeWork < 0);
    } catch (error) {
      this.#isTooLarge = true;
      this.#endBy(error as GraphQLError);
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
    this.endedBy = error;
    this.cancelReason = error;
    if (this.onFinish !== undefined) this.finish(null);
  }

  /** Ends the run. `data`: null when an error reached the root. */
  finish(data: unknown): ExecutionResult {
    this.finished = true;
    if (this.objects !== undefined) this.objects.isComplete = true;
    this.#abortController?.abort();
    const result = this.#resultOf(data);
    this.onFinish?.(result);
    return result;
  }

  #resultOf(data: unknown): ExecutionResult {
    if (this.endedBy !== undefined) return this.#isTooLarge ? { errors: [this.endedBy] } : { errors: [this.endedBy], data: null };
    return (this.#errors === undefined ? { data } : { errors: this.#errors, data }) as ExecutionResult;
  }

  /** Cancels the run: each pending position fails with this reason, and the rest is the result. */
  stopWaiting(pending: { stopWaiting(reason: Error): void }, reason: Error): void {
    if (this.finished) return;
    this.cancelReason = reason;
    // 20,000 errors take 640 ms with stack traces, which are all the same, and 300 without.
    withoutStacks(() => pending.stopWaiting(reason));
  }

  #createInfoParts(): InfoParts {
    let asyncHelpers: AsyncHelpers | undefined;
    return {
      fragments: fragmentsByName(this.#plan.fragmentDefinitions),
      variableValues: this.#variableValues ?? emptyVariableValues(),
      getAbortSignal: () => this.#abortSignal(),
      getAsyncHelpers: () => (asyncHelpers ??= createAsyncHelpers()),
    };
  }

  #abortSignal(): AbortSignal {
    // The operation's signal does not fire when the execution ends: work that outlives the response continues.
    const { invocation } = this.settings;
    if (invocation !== undefined) return invocation.signal;
    this.#abortController ??= new AbortController();
    if (this.finished) this.#abortController.abort();
    return this.#abortController.signal;
  }
}

/** No thrown value. */
const none = Symbol('none');
const noVariables: Readonly<Record<string, unknown>> = Object.freeze({});

export function coercedOf(variableValues: VariableValues): Readonly<Record<string, unknown>> {
  return isGraphQL17 ? variableValues.coerced : (variableValues as unknown as Record<string, unknown>);
}

function emptyVariableValues(): VariableValues {
  return (isGraphQL17 ? { sources: Object.create(null), coerced: Object.create(null) } : {}) as VariableValues;
}
