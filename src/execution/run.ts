import type {
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
} from 'graphql';

import { isGraphQL17 } from './graphql-js/installed.ts';
import { abandon } from './promises.ts';

/** What may end an execution before everything in it has. */
export interface ExecutionLife {
  /** Fires when nobody waits for the rest any more. Made when first read. */
  readonly signal: AbortSignal;
  /** Calls back when the answer has to be made of what is there. Returns what takes it back. */
  onTimeUp(callback: (reason: Error) => void): () => void;
}

/** What a run is given. */
export interface RunSettings {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  /** In the installed major's shape, as resolvers see them: `{ sources, coerced }` in 17, the values themselves in 16. */
  readonly variableValues: GraphQLResolveInfo['variableValues'];
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /** After how many rows of a selection code is made for the next. */
  readonly rowsBeforeCode: number;
  readonly life: ExecutionLife | undefined;
}

type AsyncHelpers = ReturnType<GraphQLResolveInfo['getAsyncHelpers']>;

/** One execution of a plan: what its resolvers get, the errors so far, and whether it has been answered. */
export class Run {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly variableValues: GraphQLResolveInfo['variableValues'];
  /** The values of the variables by name, in either major. */
  readonly coerced: Readonly<Record<string, unknown>>;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  readonly rowsBeforeCode: number;
  readonly life: ExecutionLife | undefined;
  /** graphql 17 hands these two to resolvers in `info`; an AbortController is made only for who asks for its signal. */
  readonly getAbortSignal: (() => AbortSignal) | undefined;
  readonly getAsyncHelpers: (() => AsyncHelpers) | undefined;
  /** Whether the answer is out: what still arrives is dropped. */
  finished = false;
  /** Why nothing is waited for any more, and nothing begun. */
  timeIsUp: Error | undefined = undefined;
  /** Gets the answer of a run that could not be answered at once. */
  onFinish: ((result: ExecutionResult) => void) | undefined = undefined;
  #errors: GraphQLError[] | undefined = undefined;
  #abortController: AbortController | undefined = undefined;

  constructor(settings: RunSettings) {
    this.schema = settings.schema;
    this.operation = settings.operation;
    this.fragments = settings.fragments;
    this.rootValue = settings.rootValue;
    this.contextValue = settings.contextValue;
    this.variableValues = settings.variableValues;
    this.coerced = isGraphQL17 ? settings.variableValues.coerced : (settings.variableValues as unknown as Record<string, unknown>);
    this.fieldResolver = settings.fieldResolver;
    this.typeResolver = settings.typeResolver;
    this.hideSuggestions = settings.hideSuggestions;
    this.rowsBeforeCode = settings.rowsBeforeCode;
    this.life = settings.life;
    this.getAbortSignal = isGraphQL17 ? () => this.#abortSignal() : undefined;
    this.getAsyncHelpers = isGraphQL17 ? getAsyncHelpers : undefined;
  }

  /** Adds an error to the answer. */
  record(error: GraphQLError): void {
    (this.#errors ??= []).push(error);
  }

  /** Ends the run with its data: null when an error reached the root. */
  finish(data: unknown): ExecutionResult {
    this.finished = true;
    this.#abortController?.abort();
    const result = (this.#errors === undefined ? { data } : { errors: this.#errors, data }) as ExecutionResult;
    this.onFinish?.(result);
    return result;
  }

  /** Answers with what is there: every position still pending, here and below, fails for this reason. */
  endWait(pending: { endWait(reason: Error): void }, reason: Error): void {
    if (this.finished) return;
    this.timeIsUp = reason;
    // There may be thousands of errors and little time: an answer with 20,000 took 640 ms with stack traces, which would all
    // be this one, and 300 without. `Reflect.set`, because `Error` is frozen in some processes.
    const { stackTraceLimit } = Error;
    Reflect.set(Error, 'stackTraceLimit', 0);
    try {
      pending.endWait(reason);
    } finally {
      Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    }
  }

  #abortSignal(): AbortSignal {
    // That of the whole operation does not fire when there is an answer: what a resolver began for its own sake goes on.
    if (this.life !== undefined) return this.life.signal;
    this.#abortController ??= new AbortController();
    if (this.finished) this.#abortController.abort();
    return this.#abortController.signal;
  }
}

/** One for all runs: a function of each run's own would be a twentieth of the smallest operation. */
const getAsyncHelpers = (): AsyncHelpers => asyncHelpers;

/** What `info.getAsyncHelpers()` gives. graphql-js tracks for a hook that plans leave to it; what is left is that no rejection goes unhandled. */
const asyncHelpers: AsyncHelpers = {
  track: (values) => abandon(values),
  promiseAll: (values) => {
    const all = Promise.all(values);
    all.then(undefined, () => abandon(values));
    return all as Promise<Awaited<(typeof values)[number]>[]>;
  },
};
