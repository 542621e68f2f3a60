import type { GraphQLError } from 'graphql';

import type { PayloadStream, SubsequentPayload } from '../types.ts';

/** The callbacks of {@link followStream}. */
export interface StreamFollower {
  /** Wraps the production of each payload. */
  readonly around?: (next: () => Promise<IteratorResult<SubsequentPayload>>) => Promise<IteratorResult<SubsequentPayload>>;
  /** Called with the errors of each payload that has errors, as they were thrown. */
  readonly onErrors: (errors: readonly GraphQLError[]) => void;
  /** Called once, however the stream ends. */
  readonly onEnd?: () => void;
}

/** Wraps a stream and calls the callbacks. */
export function followStream(stream: PayloadStream, { around, onErrors, onEnd }: StreamFollower): PayloadStream {
  const next = (): Promise<IteratorResult<SubsequentPayload>> => stream.next();
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd?.();
    isOver = true;
  };
  const followed: PayloadStream = {
    [Symbol.asyncIterator]: () => followed,
    next: async () => {
      const result: IteratorResult<SubsequentPayload, unknown> = await (around === undefined ? next() : around(next));
      if (result.done === true) {
        end();
        return result;
      }
      const errors = stream.errorsOf(result.value);
      if (errors.length > 0) onErrors(errors);
      return result;
    },
    return: async () => {
      end();
      return stream.return();
    },
    finish: (reason) => stream.finish(reason),
    errorsOf: (payload) => stream.errorsOf(payload),
  };
  return followed;
}
