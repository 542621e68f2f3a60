import type { GraphQLError } from 'graphql';

import { isOfDeadline } from './errors.ts';
import { cut } from './limits/error-allowance.ts';
import type { Logger } from './types.ts';

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
export const maxPath = 200;
