import type { ExplainSettings } from '../http/explain.ts';
import type { Logger } from '../operation/logger.ts';
import { requireOwn } from './own-package.ts';

type Explain = NonNullable<ExplainSettings['explain']>;

/**
 * Explains the operations of requests that ask for it. What explains loads with the first of them: it is a tool for
 * development, and none of it is in a bundle. Where it cannot be found, operations run unexplained.
 */
export function createExplain(logger: Logger): Explain {
  let found: Explain | undefined;
  return (asked) => {
    if (asked.request.headers.get('graphql-functions-explain') !== '1') return undefined;
    return (found ??= findExplain(logger))(asked);
  };
}

function findExplain(logger: Logger): Explain {
  try {
    return (requireOwn('explain') as { explainOperation: Explain }).explainOperation;
  } catch (error) {
    logger.warn('Operations cannot be explained here.', error);
    return () => undefined;
  }
}
