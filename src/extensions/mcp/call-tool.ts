import type { OperationOutcome, RequestCall } from '../../server/index.ts';
import { invalidParams, isObject, RPCError } from './messages.ts';
import type { Tool } from './tools.ts';

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent?: unknown;
  readonly isError?: true;
  /** The extensions of the operation's result, for example that of explain. */
  readonly _meta?: { readonly 'graphql-functions/extensions': object };
}

/** The outcome of a call: its result, or the status of the authentication that it lacks. */
export type CallOutcome = { readonly result: ToolResult } | { readonly status: number };

/** Runs a tool through the pipeline: context, limits, deadline, masking and plugins. */
export async function callTool(
  call: RequestCall,
  tool: Tool,
  { given = {}, running }: { readonly given: unknown; readonly running: WeakMap<object, Tool> },
): Promise<CallOutcome> {
  if (!isObject(given)) throw new RPCError(200, invalidParams, { message: 'Expected arguments to be an object.' });
  // Execution ignores variables that the document does not define.
  const unknown = Object.keys(given).find((name) => !tool.variables.has(name));
  if (unknown !== undefined) return { result: failure(`Unknown argument "${unknown}". The tool takes ${listOf(tool.variables)}.`) };
  const variables = { ...given };
  if (tool.hidden.size > 0) running.set(variables, tool);
  const outcome = await call.runOperation({ documentId: tool.documentId, variables });
  const status = authenticationStatus(outcome);
  if (status !== undefined) return { status };
  const refused = outcome.errors.find(({ message }) => [...tool.hidden].some((name) => message.includes(`"$${name}"`)));
  if (refused !== undefined) {
    // Errors of coercion show the value.
    call.logger.error(`A hidden variable of the MCP tool "${tool.name}" has an invalid value.`, refused);
    return { result: failure('Internal server error') };
  }
  const result = resultOf(outcome);
  if (outcome.result.extensions === undefined) return { result };
  const { http: _, ...extensions } = outcome.result.extensions;
  const hasExtensions = Object.keys(extensions).length > 0;
  return { result: { ...result, ...(hasExtensions && { _meta: { 'graphql-functions/extensions': extensions } }) } };
}

/** Characters of an answer. Models read far fewer, and the response holds the data twice: it must fit every platform. */
const maxText = 262_144;

function resultOf({ result: { data, errors } }: OperationOutcome): ToolResult {
  const isTooLarge = errors?.some(({ extensions }) => extensions?.['code'] === 'RESULT_TOO_LARGE') === true;
  // Without structuredContent: older official clients compare it with the output schema even then.
  if (isTooLarge) return failure(tooLarge);
  if (errors !== undefined || data === undefined || data === null) return failure(shortened(JSON.stringify({ data, errors })));
  const text = JSON.stringify(data);
  if (text.length > maxText) return failure(tooLarge);
  return { content: [{ type: 'text', text }], structuredContent: data };
}

const tooLarge = 'The answer is too large. Request less, for example fewer items.';

function shortened(text: string): string {
  return text.length > maxText ? tooLarge : text;
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** 401 or 403 if `context` has refused the caller: clients start a login only then. */
function authenticationStatus({ executed, errors }: OperationOutcome): number | undefined {
  if (executed) return undefined;
  const statuses = errors.map(({ extensions }) => (extensions['http'] as { readonly status?: number } | undefined)?.status);
  return statuses.find((status) => status === 401 || status === 403);
}

function listOf(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'no arguments' : [...names].join(', ');
}
