import { OperationTypeNode } from 'graphql';
import type { ExecutionResult } from 'graphql';

import type { ExecutionInParts } from './delivery.ts';
import { executeOperation } from '../execute.ts';
import { subscribe } from './subscribe.ts';

/** Executes an operation that may have several answers: a subscription, or one with parts that come later. */
export function executeInParts(parts: ExecutionInParts): ExecutionResult | Promise<ExecutionResult> {
  const { settings, execution, delivery } = parts;
  if (execution.operation.operation === OperationTypeNode.SUBSCRIPTION) return subscribe(parts);
  if (delivery.incremental !== undefined && settings.incrementalDelivery !== undefined) return settings.incrementalDelivery.execute(parts);
  return executeOperation(settings, execution);
}
