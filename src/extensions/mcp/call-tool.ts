import { Kind } from 'graphql';
import type { GraphQLError } from 'graphql';

import type { OperationOutcome, RequestCall } from '../../server/index.ts';
import { byteLength, excessOf, isRecord } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';
import { invalidParams, RPCError } from './messages.ts';
import type { Tool } from './tools.ts';

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent?: unknown;
  readonly isError?: true;
  /** The extensions of the operation's result, for example that of explain. */
  readonly _meta?: { readonly 'graphql-functions/extensions': object };
}

/** The outcome of a call: its response, or the status of the authentication that it lacks. */
export type CallOutcome = ({ readonly response: HTTPResponse } | { readonly status: number }) & {
  readonly retryAfter?: string | undefined;
};

/** The fact of a request: the tool that it calls. */
export const calledTool: unique symbol = Symbol('mcp');

interface Call {
  readonly given: unknown;
  readonly write: (result: ToolResult) => HTTPResponse;
  /** The length of the response in bytes. */
  readonly maxBytes: number;
}

/** Runs a tool through the pipeline: context, limits, deadline, masking and plugins. */
export async function callTool(call: RequestCall, tool: Tool, { given = {}, write, maxBytes }: Call): Promise<CallOutcome> {
  if (!isRecord(given)) throw new RPCError(200, invalidParams, 'Expected arguments to be an object.');
  // Execution ignores variables that the document does not define.
  const unknown = Object.keys(given).find((name) => !tool.variables.has(name));
  if (unknown !== undefined)
    return { response: write(failure(`Unknown argument "${unknown}". The tool takes ${listOf(tool.variables)}.`)) };
  call.facts.set(calledTool, tool);
  const outcome = await call.runOperation({ documentId: tool.documentId, variables: { ...given } });
  const retryAfter = retryAfterOf(outcome);
  const status = authenticationStatus(call, outcome);
  if (status !== undefined) return { status, retryAfter };
  const refused = outcome.errors.find((error) => blamesHidden(error, tool));
  if (refused !== undefined) {
    // Errors of coercion contain the value.
    call.logger.error(`A hidden variable of the MCP tool "${tool.name}" has an invalid value.`, refused);
    return { response: write(failure('Internal server error')), retryAfter };
  }
  // An answer that idempotency has stored belongs to a mutation that has run.
  const hasRun = tool.isMutation && (outcome.executed === true || outcome.result.data !== undefined);
  const unsent = (what: string, otherwise: string): HTTPResponse =>
    write(failure(hasRun ? `The tool has run, but its answer ${what}. Do not call it again.` : otherwise));
  try {
    const response = write(resultOf(outcome));
    const size = { platform: call.invocation.resultLimit ?? { name: call.platform }, maxBytes };
    if (excessOf(size, response.body as string) !== undefined) throw new RangeError();
    return { response, retryAfter };
  } catch (error) {
    if (error instanceof RangeError)
      return { response: unsent('is too large', 'The answer is too large. Request less, for example fewer items.'), retryAfter };
    call.logger.error(`The answer of the MCP tool "${tool.name}" cannot be written as JSON.`, error);
    return { response: unsent('cannot be sent', 'Internal server error'), retryAfter };
  }
}

/** True if an error is about a variable that the server has filled. The text cannot show this, because it may quote an argument. */
function blamesHidden({ nodes = [] }: GraphQLError, { hidden }: Tool): boolean {
  return nodes.some(
    (node) =>
      (node.kind === Kind.VARIABLE_DEFINITION && hidden.has(node.variable.name.value)) ||
      (node.kind === Kind.VARIABLE && hidden.has(node.name.value)),
  );
}

/** Bytes of an answer. Models read far fewer, and the response holds the data twice. */
const maxText = 262_144;

/** Throws a RangeError if the answer is too large, and whatever `toJSON` and JSON.stringify throw. */
function resultOf({ result: { data, errors, extensions } }: OperationOutcome): ToolResult {
  if (errors?.some((error) => error.extensions?.['code'] === 'RESULT_TOO_LARGE') === true) throw new RangeError();
  const isFailure = errors !== undefined || data === undefined || data === null;
  const text = JSON.stringify(isFailure ? { data, errors } : data);
  if (byteLength(text) > maxText) throw new RangeError();
  const { http: _, ...rest } = extensions ?? {};
  return {
    // structuredContent is left out, because older official clients compare it with the output schema even for errors.
    ...(isFailure ? failure(text) : { content: [{ type: 'text', text }], structuredContent: data }),
    ...(Object.keys(rest).length > 0 && { _meta: { 'graphql-functions/extensions': rest } }),
  };
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** 401 or 403 if `context` or a plugin has refused the caller: clients start a login only then. */
export function authenticationStatus(call: RequestCall, outcome: OperationOutcome): number | undefined {
  const status = call.statusOf(outcome);
  return outcome.executed !== true && (status === 401 || status === 403) ? status : undefined;
}

/** The Retry-After that `context`, a plugin or an error has set. */
function retryAfterOf({ head, errors }: OperationOutcome): string | undefined {
  const ofErrors = errors.flatMap(({ extensions }) =>
    Object.entries((extensions['http'] as { readonly headers?: object } | undefined)?.headers ?? {}),
  );
  const [, given] = ofErrors.find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
  return head.headers.get('retry-after') ?? (given === undefined ? undefined : String(given));
}

function listOf(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'no arguments' : [...names].join(', ');
}
