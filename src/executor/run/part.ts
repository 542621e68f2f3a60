import type { GraphQLError } from 'graphql';

/** A part of the response, delivered with its errors. Most responses have one part. */
export class Part {
  errors: GraphQLError[] | undefined = undefined;
  /** The error that has reached the root of the part, whose data is therefore null. */
  failure: GraphQLError | undefined = undefined;
  /** True if the part has been delivered, or is not needed any more. Later values are dropped. */
  finished = false;
  /** Receives the data of the part. */
  onFinish: ((data: unknown) => void) | undefined = undefined;
  /** The deferred parts and streamed lists found in this part: see parts/. */
  later: object | undefined = undefined;
}
