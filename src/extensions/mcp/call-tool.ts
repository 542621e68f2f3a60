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

export interface Called {
  readonly tool: Pick<Tool, 'name' | 'hidden' | 'isMutation'>;
  readonly outcome: OperationOutcome;
  readonly write: (result: ToolResult) => HTTPResponse;
  /** The length of the response in bytes. */
  readonly maxBytes: number;
  /** Members of the result beside `data`. Default: the result is the data */
  readonly beside?: object | undefined;
}

/** Names an argument that the tool does not define: execution would ignore it. */
export function unknownArgument({ variables }: Pick<Tool, 'variables'>, given: unknown): string | undefined {
  if (!isRecord(given)) throw new RPCError(200, invalidParams, 'Expected arguments to be an object.');
  const unknown = Object.keys(given).find((name) => !variables.has(name));
  return unknown === undefined ? undefined : `Unknown argument "${unknown}". The tool takes ${listOf(variables)}.`;
}

/** The outcome of a tool's operation → the response. */
export function toResult(call: RequestCall, { tool, outcome, write, maxBytes, beside }: Called): HTTPResponse {
  const refused = outcome.errors.find((error) => blamesHidden(error, tool));
  if (refused !== undefined) {
    // Errors of coercion contain the value.
    call.logger.error(`A hidden variable of the MCP tool "${tool.name}" has an invalid value.`, refused);
    return write(failure('Internal server error'));
  }
  // An answer that idempotency has stored belongs to a mutation that has run.
  const hasRun = tool.isMutation && (outcome.executed === true || outcome.result.data !== undefined);
  const unsent = (what: string, otherwise: string): HTTPResponse =>
    write(failure(hasRun ? `The tool has run, but its answer ${what}. Do not call it again.` : otherwise));
  try {
    const response = write(resultOf(outcome, beside));
    const size = { platform: call.invocation.resultLimit ?? { name: call.platform }, maxBytes };
    if (excessOf(size, response.body as string) !== undefined) throw new RangeError();
    return response;
  } catch (error) {
    if (error instanceof RangeError) return unsent('is too large', 'The answer is too large. Request less, for example fewer items.');
    call.logger.error(`The answer of the MCP tool "${tool.name}" cannot be written as JSON.`, error);
    return unsent('cannot be sent', 'Internal server error');
  }
}

/** True if an error is about a variable that the server has filled. The text cannot show this, because it may quote an argument. */
function blamesHidden({ nodes = [] }: GraphQLError, { hidden }: Called['tool']): boolean {
  return nodes.some(
    (node) =>
      (node.kind === Kind.VARIABLE_DEFINITION && hidden.has(node.variable.name.value)) ||
      (node.kind === Kind.VARIABLE && hidden.has(node.name.value)),
  );
}

/** Bytes of an answer. Models read far fewer, and the response holds the data twice. */
const maxText = 262_144;

/** Throws a RangeError if the answer is too large, and whatever `toJSON` and JSON.stringify throw. */
function resultOf({ result: { data, errors, extensions } }: OperationOutcome, beside?: object): ToolResult {
  if (errors?.some((error) => error.extensions?.['code'] === 'RESULT_TOO_LARGE') === true) throw new RangeError();
  const isFailure = errors !== undefined || data === undefined || data === null;
  const structuredContent = beside === undefined ? data : { data, ...beside };
  const text = JSON.stringify(isFailure ? { data, errors, ...beside } : structuredContent);
  if (byteLength(text) > maxText) throw new RangeError();
  const { http: _, ...rest } = extensions ?? {};
  return {
    // structuredContent is left out, because older official clients compare it with the output schema even for errors.
    ...(isFailure ? failure(text) : { content: [{ type: 'text', text }], structuredContent }),
    ...(Object.keys(rest).length > 0 && { _meta: { 'graphql-functions/extensions': rest } }),
  };
}

export function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** 401 or 403 if `context` or a plugin has refused the caller: clients start a login only then. */
export function authenticationStatus(call: RequestCall, outcome: OperationOutcome): number | undefined {
  const status = call.statusOf(outcome);
  return outcome.executed !== true && (status === 401 || status === 403) ? status : undefined;
}

function listOf(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'no arguments' : [...names].join(', ');
}
