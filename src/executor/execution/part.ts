import type { GraphQLError } from 'graphql';

/** A part of the response: what is delivered together, with its errors. Most responses have one. */
export class Part {
  errors: GraphQLError[] | undefined = undefined;
  /** The error that has reached the root of the part, whose data is therefore null. */
  failure: GraphQLError | undefined = undefined;
  /** True when it has been delivered, or nobody waits for it: later values are dropped. */
  finished = false;
  /** Receives its data. */
  onFinish: ((data: unknown) => void) | undefined = undefined;
  /** What has been found in it that is delivered later: see parts/. */
  later: object | undefined = undefined;
}
