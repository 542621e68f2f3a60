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

import { withoutStacks } from '../message/describe.ts';
import type { ExecutionInvocation } from '../message/invocation.ts';
import { isGraphQL17 } from './graphql-js/version.ts';
import type { ObjectLog } from './object-log.ts';
import { OwnNodes } from './own-nodes.ts';
import type { NodesHolder } from './own-nodes.ts';
import { abandon } from './promises.ts';
import type { FieldTracer } from './trace-execution.ts';

/** Keeps an answer from growing too large while it is made. Sizes are characters of JSON, counted low. */
export interface AnswerBudget {
  /** Up to here the invocation need not be asked. */
  readonly free: number;
  /** How far an answer of this size, which may have promises in it, may still grow before this is asked again. Throws a GraphQLError when it is too large. */
  grow(size: number, withPromises: boolean): number;
  /** Promised values that have no size of their own, and the size of each further one. */
  readonly freePromises: number;
  readonly sizeOfPromise: number;
  /** The size of each error that is counted and not kept. */
  readonly sizeOfError: number;
  /** The errors that the operations of a batch may still keep together. Undefined: there is one operation. */
  readonly sharedErrors?: { left: number } | undefined;
}

/** The arguments of a run. */
export interface RunSettings {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly typeResolver?: GraphQLTypeResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /** After how many rows of a selection code is made for the next. Default: 1,000. */
  readonly rowsBeforeCode?: number | undefined;
  readonly invocation?: ExecutionInvocation | undefined;
  readonly answerLimit?: AnswerBudget | undefined;
  readonly objects?: ObjectLog | undefined;
}

/** The parts of its plan that a run uses. */
interface RunPlan {
  /** Of the document. */
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  readonly propagatesErrors: boolean;
}

export type VariableValues = GraphQLResolveInfo['variableValues'];
/** In graphql 16 there are none: its types are read with ours, where it is installed. */
type AsyncHelpers = GraphQLResolveInfo extends { readonly getAsyncHelpers: () => infer Helpers } ? Helpers : never;

/** The parts that the `info` objects of one execution share. The last two are those of graphql 17. */
interface InfoParts {
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly variableValues: VariableValues;
  /** An AbortController is made only for a resolver that asks for its signal. */
  readonly getAbortSignal: () => AbortSignal;
  readonly getAsyncHelpers: () => AsyncHelpers;
}

/** One execution of a plan: what its resolvers get, the errors so far, and whether it has been answered. */
export class Run {
  readonly settings: RunSettings;
  readonly contextValue: unknown;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** True when null where it is not allowed goes on to what is above. */
  readonly propagatesErrors: boolean;
  /** The values of the variables by name, in either major. */
  readonly coerced: Readonly<Record<string, unknown>>;
  /** Is told of each resolver. Undefined: the channels have no subscribers. */
  fieldTracer: FieldTracer | undefined = undefined;
  /** True when the answer is out: what still arrives is dropped. */
  finished = false;
  /** Why nothing is waited for any more, and nothing begun. */
  timeIsUp: Error | undefined = undefined;
  /** Gets the answer of a run that could not be answered at once. */
  onFinish: ((result: ExecutionResult) => void) | undefined = undefined;
  /** Why the answer is an error and nothing else: it has become too large. */
  overflow: GraphQLError | undefined = undefined;
  /** Lists the objects of the answer. Undefined: they are not listed. */
  readonly objects: ObjectLog | undefined;
  readonly #plan: RunPlan;
  /** This execution's own, in the installed major's shape: `{ sources, coerced }` in 17, the values themselves in 16. Undefined: there are no variables. */
  readonly #variableValues: VariableValues | undefined;
  readonly #nodes = new OwnNodes();
  #infoParts: InfoParts | undefined = undefined;
  #size = 0;
  #maxSize: number;
  #freePromises: number;
  #errors: GraphQLError[] | undefined = undefined;
  #abortController: AbortController | undefined = undefined;

  constructor(settings: RunSettings, plan: RunPlan, variableValues: VariableValues | undefined) {
    this.settings = settings;
    this.contextValue = settings.contextValue;
    this.fieldResolver = settings.fieldResolver;
    this.objects = settings.objects;
    this.propagatesErrors = plan.propagatesErrors;
    this.coerced = variableValues === undefined ? noVariables : coercedOf(variableValues);
    this.#plan = plan;
    this.#variableValues = variableValues;
    this.#maxSize = settings.answerLimit?.free ?? Infinity;
    this.#freePromises = settings.answerLimit?.freePromises ?? Infinity;
  }

  /** The parts that every `info` of this execution holds. Made with the first. */
  infoParts(): InfoParts {
    return (this.#infoParts ??= this.#createInfoParts());
  }

  /** The nodes of a field as others may have them: this execution's own array, the same each time. */
  nodesOf(field: NodesHolder): FieldNode[] {
    return this.#nodes.of(field);
  }

  /** Adds an error to the answer, if it has not too many already. */
  record(error: GraphQLError): void {
    const limit = this.settings.answerLimit;
    if (!this.hasManyErrors) {
      (this.#errors ??= []).push(error);
      if (limit?.sharedErrors !== undefined) limit.sharedErrors.left--;
    }
    // A resolver that fails for each of a million fields takes seconds. What the deadline cuts short takes no time.
    else if (this.timeIsUp === undefined) this.#size += limit?.sizeOfError ?? 0;
  }

  /** True when errors are only counted from now on. */
  get hasManyErrors(): boolean {
    const kept = this.#errors?.length ?? 0;
    if (kept < ownRecordedErrors) return false;
    return kept >= maxRecordedErrors || (this.settings.answerLimit?.sharedErrors?.left ?? 1) <= 0;
  }

  /** The answer grows by so many characters. Throws when it has become too large: then the run has ended. */
  grow(size: number): void {
    this.#size += size;
    if (this.#size > this.#maxSize) this.#outgrow();
  }

  /** The same by a value of a leaf. Only what stands under an alias is looked at closely: it may be there a thousand times. */
  growByLeaf(value: unknown, isAliased: boolean): void {
    if (typeof value === 'string') this.grow(isAliased && value.length > longText ? JSON.stringify(value).length : value.length);
    else if (isAliased && typeof value === 'number') this.grow(sizeOfAliasedNumber);
    else if (isAliased && typeof value === 'object' && value !== null) this.grow(lengthOfJSON(value));
  }

  /** The same by a value that a promise will bring. What is kept of it until then is many times as large as the value. */
  growByPromise(): void {
    if (--this.#freePromises < 0) this.grow(this.settings.answerLimit!.sizeOfPromise);
  }

  #outgrow(): void {
    try {
      if (this.overflow === undefined) {
        this.#maxSize = this.settings.answerLimit!.grow(this.#size, this.#freePromises < 0);
        return;
      }
    } catch (error) {
      this.overflow = error as GraphQLError;
      this.timeIsUp = this.overflow;
      if (this.onFinish !== undefined) this.finish(null);
    }
    throw this.overflow!;
  }

  /** Ends the run with its data: null when an error reached the root. */
  finish(data: unknown): ExecutionResult {
    this.finished = true;
    if (this.objects !== undefined) this.objects.isComplete = true;
    this.#nodes.isOver = true;
    this.#abortController?.abort();
    const result = this.#resultOf(data);
    this.onFinish?.(result);
    return result;
  }

  #resultOf(data: unknown): ExecutionResult {
    if (this.overflow !== undefined) return { errors: [this.overflow] };
    return (this.#errors === undefined ? { data } : { errors: this.#errors, data }) as ExecutionResult;
  }

  /** Answers with what is there: every position still pending, here and below, fails for this reason. */
  endWait(pending: { endWait(reason: Error): void }, reason: Error): void {
    if (this.finished) return;
    this.timeIsUp = reason;
    // There may be thousands of errors and little time: an answer with 20,000 took 640 ms with stack traces, which would all
    // be this one, and 300 without.
    withoutStacks(() => pending.endWait(reason));
  }

  #createInfoParts(): InfoParts {
    let asyncHelpers: AsyncHelpers | undefined;
    return {
      fragments: recordOf(this.#plan.fragmentDefinitions),
      variableValues: this.#variableValues ?? emptyVariableValues(),
      getAbortSignal: () => this.#abortSignal(),
      getAsyncHelpers: () => (asyncHelpers ??= createAsyncHelpers()),
    };
  }

  #abortSignal(): AbortSignal {
    // That of the whole operation does not fire when there is an answer: what a resolver began for its own sake goes on.
    const { invocation } = this.settings;
    if (invocation !== undefined) return invocation.signal;
    this.#abortController ??= new AbortController();
    if (this.finished) this.#abortController.abort();
    return this.#abortController.signal;
  }
}

/**
 * An object that inherits nothing. `Object.create(null)` makes a hash table each time: the three of an execution were a third
 * of the garbage of the smallest operation.
 */
const Bare = function Bare() {} as unknown as new () => object;
Bare.prototype = Object.freeze(Object.create(null)) as object;

/** By name, as graphql-js has them. (Object.assign takes 0.1 us to copy nothing, a quarter of the smallest operation.) */
function recordOf(fragments: readonly FragmentDefinitionNode[]): Record<string, FragmentDefinitionNode> {
  const record = new Bare() as Record<string, FragmentDefinitionNode>;
  for (const fragment of fragments) record[fragment.name.value] = fragment;
  return record;
}

/** Errors of one execution that are kept: a few more than an answer has. The operations of a batch keep as many together. */
export const maxRecordedErrors = 1_100;
/** Those that each keeps, whatever its neighbours have kept. */
export const ownRecordedErrors = 20;

/** Characters of a number that stands under an alias, beside its first: between those of small numbers and 24. */
export const sizeOfAliasedNumber = 8;

/** Characters of a text whose escapes are not worth counting. */
const longText = 64;

/** Characters of a value's JSON. A value that JSON cannot carry fails when the answer is written. */
export function lengthOfJSON(value: object): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}

/** The result of `info.getAsyncHelpers()`. graphql-js tracks for a hook that plans leave to it; what is left is that no rejection goes unhandled. */
function createAsyncHelpers(): AsyncHelpers {
  return {
    promiseAll: (values) => {
      const all = Promise.all(values);
      all.then(undefined, () => abandon(values));
      return all as Promise<Awaited<(typeof values)[number]>[]>;
    },
    track: (values) => abandon(values),
  };
}

/** Never handed out, unlike what `emptyVariableValues` makes. */
const noVariables: Readonly<Record<string, unknown>> = Object.freeze({});

export function coercedOf(variableValues: VariableValues): Readonly<Record<string, unknown>> {
  return isGraphQL17 ? variableValues.coerced : (variableValues as unknown as Record<string, unknown>);
}

function emptyVariableValues(): VariableValues {
  return (isGraphQL17 ? { sources: new Bare(), coerced: new Bare() } : {}) as VariableValues;
}
