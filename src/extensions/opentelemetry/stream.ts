import { context } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

import type { PayloadStream, SubsequentPayload } from '../../operation/types.ts';

interface Follower {
  /** What resolvers of later events run in. */
  readonly active: Context;
  readonly onErrors: (errors: readonly unknown[]) => void;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
}

/** The same stream, followed to its end. */
export function followStream(stream: PayloadStream, { active, onErrors, onEnd }: Follower): PayloadStream {
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const followed: PayloadStream = {
    [Symbol.asyncIterator]: () => followed,
    next: async () => {
      const result: IteratorResult<SubsequentPayload, unknown> = await context.with(active, () => stream.next());
      if (result.done === true) end();
      else if (result.value.errors !== undefined)
        onErrors(result.value.errors.map(({ message, extensions }) => Object.assign(new Error(message), { extensions })));
      return result;
    },
    return: async () => {
      end();
      return stream.return();
    },
    finish: (reason) => stream.finish(reason),
  };
  return followed;
}
