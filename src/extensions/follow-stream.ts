import type { GraphQLError } from 'graphql';

import type { PayloadStream, SubsequentPayload } from '../operation/types.ts';

/** The callbacks of {@link followStream}. */
export interface StreamFollower {
  /** Surrounds the making of each payload. Default: nothing. */
  readonly around?: (next: () => Promise<IteratorResult<SubsequentPayload>>) => Promise<IteratorResult<SubsequentPayload>>;
  /** Called with the errors of each payload that has some, as they were thrown. */
  readonly onErrors: (errors: readonly GraphQLError[]) => void;
  /** Called once, however the stream ends. */
  readonly onEnd?: () => void;
}

/** The same stream, followed to its end. */
export function followStream(stream: PayloadStream, { around, onErrors, onEnd }: StreamFollower): PayloadStream {
  const ask = (): Promise<IteratorResult<SubsequentPayload>> => stream.next();
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd?.();
    isOver = true;
  };
  const followed: PayloadStream = {
    [Symbol.asyncIterator]: () => followed,
    next: async () => {
      const result: IteratorResult<SubsequentPayload, unknown> = await (around === undefined ? ask() : around(ask));
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
