import { execute, GraphQLError, Kind } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';

import { listenedChannel, traceMixed } from '../shared/index.ts';
import { Misfit } from './run/errors.ts';
import { resultTooLarge } from './budget.ts';
import { lengthOfJSON } from './costs.ts';
import { noPropagation } from './plan/plan.ts';
import type { GraphQLJSExecutor, PlannedExecution } from './execute.ts';
import { executeContext } from './run/trace-execution.ts';
import { isGraphQL17 } from './graphql-version.ts';

/**
 * The value of the option `executor`: lets graphql-js run every operation, for comparisons and for tools that observe graphql-js. It
 * runs as in any other server: no limits hold while it runs, and the deadline ends it without a partial answer.
 *
 * @example
 * ```ts
 * import { graphqlJSExecutor } from 'graphql-functions/graphql-js';
 *
 * export default createHandler({ typeDefs, resolvers, executor: graphqlJSExecutor() });
 * ```
 */
export function graphqlJSExecutor(): GraphQLJSExecutor {
  return { executeWithGraphQLJS, assertSupported };
}

/** Refuses options that graphql-js would ignore. */
const assertSupported: GraphQLJSExecutor['assertSupported'] = ({ incrementalDelivery, deadline, pageDefaults }, schema) => {
  const hasPartial = (deadline as { readonly partial?: unknown } | undefined)?.partial !== undefined;
  const refused =
    (incrementalDelivery !== undefined && 'the option `incrementalDelivery`') ||
    (pageDefaults !== undefined && 'the option `pageLimits` of limits()') ||
    (hasPartial && 'the option `deadline.partial`') ||
    // graphql-js 17 executes no operation of such a schema.
    (isGraphQL17 && (schema.getDirective('defer') ?? schema.getDirective('stream')) && 'a schema that defines @defer or @stream');
  if (refused) throw new Error(`Expected graphqlJSExecutor() without ${refused}, which it does not support. Remove one of them.`);
};

/** Runs an operation. The promise rejects when the execution is canceled: with graphql 16, resolvers continue. */
function executeWithGraphQLJS(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const refusal = refuse(execution);
  if (refusal !== undefined) return { errors: [new GraphQLError(refusal)] };
  const { schema, operation, rootValue, contextValue, variableValues, fieldResolver, hideSuggestions, invocation } = execution;
  const args = {
    schema,
    document: documentOf(execution),
    operationName: operation.name?.value,
    rootValue,
    contextValue,
    variableValues,
    fieldResolver,
    hideSuggestions,
    ...(isGraphQL17 && invocation && { abortSignal: invocation.signal }),
  } as ExecutionArgs;
  // graphql 17 publishes its events itself; for 16 only `execute` is published.
  const channel = isGraphQL17 || execution.eventOf !== undefined ? undefined : listenedChannel('execute');
  const result = channel === undefined ? execute(args) : traceMixed(channel, executeContext(execution), () => execute(args));
  return result instanceof Promise ? untilCanceled(result, execution) : checkSize(result, execution);
}

function untilCanceled(result: Promise<ExecutionResult>, execution: PlannedExecution): Promise<ExecutionResult> {
  return new Promise((resolve, reject) => {
    const stop = execution.invocation?.onCancel(reject);
    result.then((settled) => resolve(checkSize(settled, execution)), reject).finally(stop);
  });
}

function checkSize(result: ExecutionResult, { answerLimit }: PlannedExecution): ExecutionResult {
  if (answerLimit === undefined || !result.data) return markMisfits(result);
  const { capacity, operations } = answerLimit;
  const size = lengthOfJSON(result.data);
  return size > capacity.maxBytes / operations ? { errors: [resultTooLarge(size, capacity, '', operations)] } : markMisfits(result);
}

/**
 * Marks the errors of graphql-js about resolver values that do not match their type, because their messages may contain the value.
 * graphql-js throws the same class as user code does for errors that clients may read, so only the words of the message tell them apart.
 */
function markMisfits(result: ExecutionResult): ExecutionResult {
  if (result.errors?.some(isMisfit) !== true) return result;
  return { ...result, errors: result.errors.map((error) => (isMisfit(error) ? marked(error) : error)) };
}

function isMisfit({ path, message, extensions }: GraphQLError): boolean {
  return path !== undefined && misfit.test(message) && extensions['code'] === undefined;
}

const misfit =
  /^(?:(?:Int|Float|String|Boolean|ID|Enum "\w+") cannot represent |Expected value of type "\w+" but got: |Expected Iterable, but did not find one |Abstract type "\w+" (?:must resolve|was resolved) to |Runtime Object type "\w+" is not a possible type )/;

function marked({ message, nodes, source, positions, path }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path: path!, originalError: new Misfit(message) });
}

function refuse({ errorHandling }: PlannedExecution): string | undefined {
  if (errorHandling?.halts === true) return 'This server runs operations with graphqlJSExecutor(), which does not support onError: "HALT".';
  if (!isGraphQL17 && errorHandling?.propagates === false)
    return 'This server runs operations with graphqlJSExecutor(), which supports onError: "NULL" with graphql 17 only.';
  return undefined;
}

/** The document as the request wants errors to propagate. */
function documentOf({ document, operation, errorHandling }: PlannedExecution): DocumentNode {
  const propagates = errorHandling?.propagates;
  return propagates === undefined || !isGraphQL17 ? document : withPropagation(document, operation, propagates);
}

/** The document, with or without graphql 17's directive against the propagation of errors in one of its operations. */
export function withPropagation(document: DocumentNode, operation: OperationDefinitionNode, propagates: boolean): DocumentNode {
  const directives = operation.directives?.filter(({ name }) => name.value !== noPropagation) ?? [];
  if (!propagates) directives.push({ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: noPropagation } });
  const copy: OperationDefinitionNode = { ...operation, directives };
  return { ...document, definitions: document.definitions.map((definition) => (definition === operation ? copy : definition)) };
}
