import type { ExecutionResult } from 'graphql';

/** The calls of batched fields that a run has not made yet: see open-batches.ts. */
export interface Batches {
  /** Ends the synchronous pass. Returns the result if these calls were all that the run waited for, and were synchronous. */
  finishFirstPass(): ExecutionResult | undefined;
}
