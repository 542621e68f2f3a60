import * as graphql from 'graphql';
import { execute, GraphQLError, print, versionInfo, visit } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';

import { executePlanned, prepareExecution, withPropagation } from '../../executor/index.ts';
import type { GraphQLJSExecutor, PlannedExecution } from '../../executor/index.ts';
import { valueAt } from '../../shared/index.ts';
import { findDifference, textOf, withNullErrors } from './compare-results.ts';
import { Recording } from './recording.ts';
import { Replay } from './replay.ts';
import { copyForReplay } from './replay-schema.ts';
import { countSkipped, countVerified } from './summary.ts';
import type { Reason } from './summary.ts';

const isGraphQL17 = versionInfo.major >= 17;

/**
 * Runs operations by their plans, and again with graphql-js on a copy of the schema, whose functions return what the schema's returned. An
 * operation with another result fails. The functions of scalars run twice.
 */
export function createVerifier({ onDifference, run = executePlanned }: VerifierOptions = {}): GraphQLJSExecutor {
  const verify = async (
    execution: PlannedExecution,
    running: ExecutionResult | Promise<ExecutionResult>,
    recording: Recording,
  ): Promise<ExecutionResult> => {
    const result = await running;
    const reason = reasonToSkip(execution, result);
    if (reason !== undefined) {
      countSkipped(reason);
      return result;
    }
    const difference = await compare(execution, result, recording);
    countVerified();
    if (difference === undefined) return result;
    onDifference?.(difference);
    throw difference;
  };
  return {
    executeWithGraphQLJS: (execution) => {
      const reason = reasonNotToRun(execution);
      if (reason !== undefined) {
        countSkipped(reason);
        return run(execution);
      }
      const recording = new Recording(isGraphQL17 ? 'asynchronous' : execution.takesAsyncIterables === true ? 'as lists' : 'refused');
      execution.prepared ??= prepareExecution(execution);
      execution.prepared.run.observe(recording);
      const running = run(execution);
      // The errors of variables are graphql-js's own, and the server expects them at once.
      return running instanceof Promise || 'data' in running ? verify(execution, running, recording) : running;
    },
    assertSupported: () => {},
  };
}

export interface VerifierOptions {
  /** Called with a difference before the operation fails with it. */
  readonly onDifference?: (difference: Error) => void;
  /** The executor that is verified. Default: plans */
  readonly run?: (execution: PlannedExecution) => ExecutionResult | Promise<ExecutionResult>;
}

function reasonNotToRun({ errorHandling }: PlannedExecution): Reason | undefined {
  if (errorHandling?.halts === true) return 'onError: HALT';
  return errorHandling?.propagates === false && !isGraphQL17 ? 'onError: NULL with graphql 16' : undefined;
}

function reasonToSkip({ prepared }: PlannedExecution, { errors }: ExecutionResult): Reason | undefined {
  const hasEnded = (prepared!.run.endedBy ?? prepared!.run.cancelReason) !== undefined;
  const isLimited = errors?.some(({ extensions }) => codesOfServer.has(String(extensions['code']))) === true;
  return hasEnded || isLimited ? 'ended early: deadline, limit or a client that left' : undefined;
}

const codesOfServer = new Set(['DEADLINE_EXCEEDED', 'RESULT_TOO_LARGE', 'SERVICE_UNAVAILABLE']);

async function compare(execution: PlannedExecution, actual: ExecutionResult, recording: Recording): Promise<Error | undefined> {
  const { document, operation, schema } = execution;
  const { plain, nullable } = copiesOf(schema);
  const propagates = execution.errorHandling?.propagates !== false;
  const withoutPropagation = isGraphQL17 ? withPropagation(document, operation, false) : document;
  recording.end(actual.data);
  const replay = new Replay(recording);
  const expected = await repeat(execution, plain, propagates ? document : withoutPropagation, replay);
  const unpropagated = withNullErrors(await repeat(execution, nullable, withoutPropagation, new Replay(recording)), actual);
  // With graphql 16, introspection shows the types of the copy, which are nullable.
  for (const key of recording.introspected) if (unpropagated.data && expected.data) unpropagated.data[key] = expected.data[key];
  const isCut = execution.prepared!.run.budget.hasManyErrors;
  const difference =
    firstNotBelowNull('graphql-js calls a function that was not called', replay.missing, actual) ??
    // graphql-js knows no default page sizes.
    firstNotBelowNull('a resolver got other arguments than with graphql-js', execution.pageDefaults ? [] : replay.otherArguments, actual) ??
    findDifference({ expected, actual, unpropagated, isReordered: true, isCut }) ??
    firstNotBelowNull('a resolver was called that graphql-js does not call', replay.unused(), actual);
  return difference === undefined ? undefined : differenceError(difference, { execution, expected, actual });
}

function repeat(
  { operation, rootValue, variableValues, hideSuggestions }: PlannedExecution,
  schema: GraphQLSchema,
  document: DocumentNode,
  replay: Replay,
): Promise<ExecutionResult> {
  const args = {
    schema,
    document: inOnePart(document, schema),
    operationName: operation.name?.value,
    rootValue,
    contextValue: replay,
    variableValues,
    hideSuggestions,
  } as ExecutionArgs;
  return Promise.resolve(executorFor(schema)(args)).then((result) => (hideSuggestions ? withoutSuggestions(result) : result));
}

/** graphql 17 refuses schemas that define @defer or @stream, but for this function. graphql 16 has only `execute`. */
function executorFor(schema: GraphQLSchema): typeof execute {
  const { experimentalExecuteIncrementally = execute } = graphql as { experimentalExecuteIncrementally?: typeof execute };
  return isIncremental(schema) ? experimentalExecuteIncrementally : execute;
}

function isIncremental(schema: GraphQLSchema): boolean {
  return (schema.getDirective('defer') ?? schema.getDirective('stream')) !== undefined;
}

/** The answer has one part, whatever the document asks for. */
function inOnePart(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  if (!isIncremental(schema)) return document;
  return visit(document, { Directive: ({ name }) => (name.value === 'defer' || name.value === 'stream' ? null : undefined) });
}

/** graphql 16 has no option for this. */
function withoutSuggestions(result: ExecutionResult): ExecutionResult {
  if (result.errors === undefined) return result;
  const errors = result.errors.map((error) => {
    const message = error.message.replace(/ Did you mean .*\?$/s, '');
    if (message === error.message) return error;
    const { nodes = null, source = null, positions = null, path = null, originalError = null, extensions } = error;
    return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
  });
  return { ...result, errors };
}

interface Copies {
  readonly plain: GraphQLSchema;
  /** Shows every error: with graphql 17, a directive does. */
  readonly nullable: GraphQLSchema;
}

const copies = new WeakMap<GraphQLSchema, Copies>();

function copiesOf(schema: GraphQLSchema): Copies {
  let found = copies.get(schema);
  if (found === undefined) {
    const plain = copyForReplay(schema);
    copies.set(schema, (found = { plain, nullable: isGraphQL17 ? plain : copyForReplay(schema, { nullable: true }) }));
  }
  return found;
}

/** Below a null that an error has caused, fields need not run. */
function firstNotBelowNull(text: string, paths: readonly (readonly (string | number)[])[], { data }: ExecutionResult): string | undefined {
  const found = paths.find((path) => path.every((_, length) => valueAt(data, path.slice(0, length)) !== null));
  return found && `${text}: ${found.join('.')}`;
}

interface Compared {
  readonly execution: PlannedExecution;
  readonly expected: ExecutionResult;
  readonly actual: ExecutionResult;
}

function differenceError(difference: string, { execution, expected, actual }: Compared): Error {
  return new Error(
    `This operation has another result with graphql-js (${difference}). Please report it.\n` +
      `${print(execution.operation)}\nvariables: ${shown(execution.variableValues ?? {})}\n` +
      `graphql-functions: ${shown(actual)}\ngraphql-js:        ${shown(expected)}`,
  );
}

function shown(value: unknown): string {
  const text = textOf(value) ?? 'no JSON';
  return text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
}

const maxShown = 2_000;
