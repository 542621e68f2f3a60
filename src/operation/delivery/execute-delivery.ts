import { OperationTypeNode } from 'graphql';
import type { ExecutionResult } from 'graphql';

import type { DeliveryInput } from './delivery.ts';
import { executeOperation } from '../execute.ts';
import { subscribe } from './subscribe.ts';

/** Executes an operation that may have several answers: a subscription, or one with parts that come later. */
export function executeDelivery(input: DeliveryInput): ExecutionResult | Promise<ExecutionResult> {
  const { settings, execution, delivery } = input;
  if (execution.operation.operation === OperationTypeNode.SUBSCRIPTION) return subscribe(input);
  if (delivery.incremental !== undefined && settings.incrementalDelivery !== undefined) return settings.incrementalDelivery.execute(input);
  return executeOperation(settings, execution);
}
