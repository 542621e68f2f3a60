import * as graphql from 'graphql';
import { execute, GraphQLError, isObjectType, Kind, print, TypeInfo, versionInfo, visit, visitWithTypeInfo } from 'graphql';
import type { ExecutionArgs, ExecutionResult, FieldNode, GraphQLObjectType } from 'graphql';

import { coercedVariables, withPropagation } from '../../executor/index.ts';
import type { PlannedExecution } from '../../executor/index.ts';
import type { Explainable } from '../../server/for-tools.ts';
import type { OperationOutcome } from '../../server/index.ts';
import { asWritten, HeaderMap, valueAt } from '../../shared/index.ts';

type Operation = Explainable['operation'];

const isGraphQL17 = versionInfo.major >= 17;

/**
 * Runs operations as in production. Then each query runs again with graphql-js, with a context and data sources of its own, and fails if
 * the results differ.
 */
export function createVerifier(): (explainable: Explainable) => Promise<OperationOutcome> {
  return async ({ operation, run }) => {
    // Copied before the run fills in its fields.
    const blank = { ...operation };
    const outcome = await run(operation);
    // Before plugins around the execution may have changed it.
    const actual = operation.result!;
    const reason = reasonNotToCompare(operation, outcome) ?? (endedEarly(actual) ? 'deadline, limit or a client that left' : undefined);
    count(reason ?? 'compared');
    if (reason === undefined) compare(operation.execution!, { actual, expected: await runAgain(blank, run) });
    return outcome;
  };
}

function reasonNotToCompare(operation: Operation, { stream }: OperationOutcome): string | undefined {
  const { settings, node, step, execution, document } = operation;
  if (step !== 'resolvers') return 'refused, or answered by a plugin';
  if (node!.operation !== 'query') return node!.operation;
  if (settings.executor !== undefined) return 'executor: graphqlJSExecutor()';
  if (execution!.errorHandling?.halts === true || (!isGraphQL17 && execution!.errorHandling?.propagates === false)) return 'onError';
  if (!isGraphQL17 && settings.takesAsyncIterables === true) return 'incrementalDelivery with graphql 16';
  if (stream !== undefined || /@(?:defer|stream)\b/.test(print(document!.document))) return '@defer or @stream';
  return hasPageDefault(execution!) ? 'default size of a page' : undefined;
}

const codesOfServer = new Set<unknown>(['DEADLINE_EXCEEDED', 'CLIENT_LEFT', 'RESULT_TOO_LARGE', 'SERVICE_UNAVAILABLE']);

function endedEarly({ errors }: ExecutionResult): boolean {
  return errors?.some(({ extensions }) => codesOfServer.has(extensions['code'])) === true;
}

/** True if a field may get the default size of a page, which graphql-js does not know. */
function hasPageDefault(execution: PlannedExecution): boolean {
  const { schema, document, pageDefaults } = execution;
  if (pageDefaults === undefined) return false;
  const variables = coercedVariables(execution) ?? {};
  const types = new TypeInfo(schema);
  let found = false;
  const enter = ({ arguments: given = [] }: FieldNode): void => {
    const [parent, field] = [types.getParentType(), types.getFieldDef()];
    const page = parent && field && pageDefaults.defaultFor(parent as GraphQLObjectType, field);
    const sizes = given.filter(({ name, value }) => page?.names.includes(name.value) === true && value.kind !== Kind.NULL);
    found ||=
      page !== undefined && !sizes.some(({ value }) => value.kind !== Kind.VARIABLE || (variables[value.name.value] ?? null) !== null);
  };
  visit(document, visitWithTypeInfo(types, { Field: enter }));
  return found;
}

type Results = Readonly<Record<'actual' | 'expected', ExecutionResult>>;

/** Throws an error that describes how the results differ. The order of errors does not matter. */
function compare(execution: PlannedExecution, results: Results): void {
  const { actual, expected } = results;
  // A resolver may be slower this time. With graphql-js, a bigint fails the whole answer.
  if (endedEarly(expected) || (expected.data !== undefined && textOf(expected.data) === undefined)) return;
  const nulls = [actual, expected].flatMap(({ data, errors = [] }) =>
    errors.flatMap(({ path = [] }) => nullAbove(data, path)?.join('.') ?? []),
  );
  const [ours, theirs] = [errorsIn(actual, nulls), errorsIn(expected, nulls)];
  const isCut = execution.prepared?.run.budget.hasManyErrors === true;
  const missing = isCut ? undefined : theirs.find((error) => !ours.includes(error));
  const invented = ours.find((error) => !theirs.includes(error));
  if (textOf(actual.data) !== textOf(expected.data)) throw differenceError('other data', execution, results);
  if (missing !== undefined) throw differenceError(`missing error: ${missing}`, execution, results);
  if (invented !== undefined) throw differenceError(`invented error: ${invented}`, execution, results);
}

/** Returns the data as text; undefined if JSON cannot hold it. */
function textOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

/** Runs an operation from its context on, with graphql-js, and without its answer having an effect. */
async function runAgain(operation: Operation, run: Explainable['run']): Promise<ExecutionResult> {
  const response = { headers: new HeaderMap() };
  const contextArgument =
    operation.contextArgument &&
    new Proxy(operation.contextArgument, { get: (argument, name) => (name === 'response' ? response : Reflect.get(argument, name)) });
  const executor = { executeWithGraphQLJS: executeAgain, assertSupported() {} };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const settings = { ...operation.settings, executor, logger, stages: undefined };
  const again = { ...operation, settings, contextArgument, head: response, operations: 1, batchIndex: undefined, delivery: undefined };
  await run(again);
  return again.result!;
}

/** graphql 17's `execute` refuses schemas that define `@defer` or `@stream`. graphql 16 has no other function. */
const { experimentalExecuteIncrementally: executeAny = execute } = graphql as { experimentalExecuteIncrementally?: typeof execute };

function executeAgain(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const { schema, operation, rootValue, contextValue, variableValues, fieldResolver, hideSuggestions, errorHandling } = execution;
  const propagates = isGraphQL17 ? errorHandling?.propagates : undefined;
  const document = propagates === undefined ? execution.document : withPropagation(execution.document, operation, propagates);
  const operationName = operation.name?.value;
  const args = { schema, document, operationName, rootValue, contextValue, variableValues, fieldResolver, hideSuggestions };
  return executeAny(args as ExecutionArgs);
}

type Path = NonNullable<GraphQLError['path']>;

/** The path of the null above a path. Undefined: there is none. */
function nullAbove(data: unknown, path: Path): Path | undefined {
  const length = path.findIndex((_, at) => valueAt(data, path.slice(0, at)) === null);
  return length === -1 ? undefined : path.slice(0, length);
}

/** Returns errors as text. Errors that made the same place null count as one, because an executor may report any of them. */
function errorsIn({ data, errors = [] }: ExecutionResult, nulls: readonly string[]): string[] {
  return errors.map((error) => {
    const place = (nullAbove(data, error.path ?? []) ?? error.path)?.join('.') ?? '';
    if (nulls.includes(place)) return `An error at or below ${place}`;
    // graphql 16 suggests names in errors of execution, whatever the options.
    return JSON.stringify({ ...error.toJSON(), message: error.message.replace(/ Did you mean .*\?$/s, '') });
  });
}

const changing = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bperformance\.now\b|\bhrtime\b/;

function differenceError(difference: string, { schema, document, operation, variableValues }: PlannedExecution, results: Results): Error {
  const text = print(document);
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const culprits = objects.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ name, resolve }) => text.includes(name) && resolve && changing.test(String(asWritten(resolve))))
      .map(({ name }) => `${type.name}.${name}`),
  );
  const advice =
    culprits.length > 0
      ? `It ran again with graphql-js, and these resolvers read the time or random numbers: ${culprits.join(', ')}.`
      : 'If its context, data sources and resolvers return the same each time, please report it.';
  return new Error(
    `This query has another result with graphql-js (${difference}). ${advice}\n${print(operation)}\nvariables: ${shown(variableValues ?? {})}\n` +
      `graphql-functions: ${shown(results.actual)}\ngraphql-js:        ${shown(results.expected)}`,
  );
}

function shown(value: unknown): string {
  return (textOf(value) ?? 'no JSON').slice(0, 2_000);
}

const counts = new Map<string, number>();

/** When the process ends, one line says how many queries were compared, so that a run that compared none is noticed. */
function count(what: string): void {
  if (counts.size === 0)
    process.once('exit', () =>
      process.stderr.write(
        `graphql-functions: queries compared with graphql-js, and others: ${JSON.stringify(Object.fromEntries(counts))}\n`,
      ),
    );
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
