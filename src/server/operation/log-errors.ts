import type { GraphQLError } from 'graphql';

import { guardLogger, rootCause } from '../../shared/index.ts';
import { codeOf, isOfDeadline } from './errors.ts';
import { cut, loggable } from './limits/error-allowance.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';
import type { Logger } from './types.ts';

/** Logs an error that was not thrown as a GraphQLError on purpose, with its cause. `text` says which. */
export function reportUnexpected(logger: Logger, text: string, error: GraphQLError): void {
  const cause = rootCause(error);
  // The console prints the cause with its message. Other loggers may print only the text.
  const isPrinted = logger === guardLogger(console) && cause instanceof Error && cause.message === error.message;
  report(logger, isPrinted ? text : `${text}: ${cut(error.message)}${upstreamOf(error)}`, loggable(cause));
}

/** Logs why a scalar refused a value, if the client does not see it. */
export function reportInput(
  { logger, maskErrors }: { readonly logger: Logger; readonly maskErrors: boolean },
  error: GraphQLError,
  allowance: ErrorAllowance,
): void {
  if (maskErrors && allowance.takeLine()) logger.warn(`A scalar refused a value of the client: ${cut(error.message)}`);
}

/** Logs the failure of an upstream API if the client does not see it: the error's message names neither the call nor the answer. */
export function reportUpstream(
  { logger, exposeUpstreamErrors }: { readonly logger: Logger; readonly exposeUpstreamErrors: boolean },
  error: GraphQLError,
  { allowance, more }: { readonly allowance: ErrorAllowance; readonly more: string },
): void {
  const upstream = exposeUpstreamErrors ? '' : upstreamOf(error);
  if (upstream === '' || codeOf(error) !== 'INTERNAL_SERVER_ERROR') return;
  if (allowance.takeLine())
    report(logger, `Upstream error${at(error)}${more}: ${cut(error.message)}${upstream}`, loggable(rootCause(error)));
}

/** The URL of the upstream call that failed, for the log; "" if the error is not about one. */
function upstreamOf({ extensions }: GraphQLError): string {
  const url = (extensions['response'] as { readonly url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' && url !== '' ? ` (${cut(url)})` : '';
}

/** Logs an error, or a text without a cause: some loggers print `undefined`. */
export function report(logger: Logger, text: string, cause: unknown): void {
  if (cause === undefined) logger.error(text);
  else logger.error(text, cause);
}

/** Logs a warning for an answer that is too large, or that misses parts because of the deadline and otherwise looks like a success. */
export function reportUnfinished(logger: Logger, errors: readonly GraphQLError[]): void {
  const tooLarge = errors.find(({ extensions }) => extensions['code'] === 'RESULT_TOO_LARGE');
  if (tooLarge !== undefined) logger.warn(cut(tooLarge.message));
  const late = errors.filter(isOfDeadline);
  if (late.length === 0) return;
  const paths = late.slice(0, 5).map(({ path }) => (path === undefined ? 'the whole operation' : cut(path.join('.'), maxPath)));
  const more = late.length > paths.length ? ` and ${late.length - paths.length} more` : '';
  logger.warn(`The deadline passed before this finished: ${paths.join(', ')}${more}.`);
}

/** Characters of a path in the log. */
const maxPath = 200;

/** ` at` and the path of an error; "" for one without a path. */
export function at(error: GraphQLError): string {
  return error.path === undefined ? '' : ` at ${cut(error.path.join('.'), maxPath)}`;
}
