import type { GraphQLError } from 'graphql';

import type { OperationHooks } from './hooks.ts';
import type { RequestContextWithOperation, SubsequentPayload } from './plugin.ts';

/** `didEncounterSubsequentErrors` of every listener. Here, not in hooks.ts: bundles that do not stream have no use for it. */
export async function tellOfErrors({ listeners, context }: OperationHooks, errors: readonly GraphQLError[]): Promise<void> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.didEncounterSubsequentErrors?.(operation, errors);
}

/** `willSendSubsequentPayload` of every listener, which may change the payload it gets. */
export async function tellOfPayload({ listeners, context }: OperationHooks, payload: SubsequentPayload): Promise<SubsequentPayload> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.willSendSubsequentPayload?.(operation, payload);
  return payload;
}
