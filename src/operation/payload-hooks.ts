import type { GraphQLError } from 'graphql';

import type { OperationLife } from './context.ts';
import type { OperationHooks } from './hooks.ts';
import { inTime } from './in-time.ts';
import type { RequestContextWithOperation, SubsequentPayload } from './plugin.ts';

/** `didEncounterSubsequentErrors` of every listener. Here, not in hooks.ts: bundles that do not stream have no use for it. */
export async function tellOfErrors({ listeners, context }: OperationHooks, errors: readonly GraphQLError[]): Promise<void> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.didEncounterSubsequentErrors?.(operation, errors);
}

/** The same of a stream's end, which does not wait beyond the last moment for a hook that hangs. */
export async function tellOfEnd(hooks: OperationHooks, error: GraphQLError, life: OperationLife): Promise<void> {
  await inTime(
    tellOfErrors(hooks, [error]).then(() => true),
    life,
    { atLastMoment: () => true },
  );
}

/** `willSendSubsequentPayload` of every listener, which may change the payload it gets. */
export async function tellOfPayload({ listeners, context }: OperationHooks, payload: SubsequentPayload): Promise<SubsequentPayload> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.willSendSubsequentPayload?.(operation, payload);
  return payload;
}
