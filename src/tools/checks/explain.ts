import type { Explainable } from '../../server/for-tools.ts';
import type { OperationOutcome } from '../../server/index.ts';

/** Explains operations of requests with a certain header. The code that explains them is loaded with the first such request. */
export function explain(explainable: Explainable): Promise<OperationOutcome> | undefined {
  if (explainable.call.request.headers.get('graphql-functions-explain') !== '1') return undefined;
  return import('../explain/index.ts').then(({ explainOperation }) => explainOperation(explainable));
}
