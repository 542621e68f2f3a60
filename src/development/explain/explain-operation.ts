import type { Explainable } from '../../http/http-call.ts';
import type { OperationOutcome } from '../../operation/types.ts';
import { Recording } from './recording.ts';
import { withResolverPaths } from './resolver-paths.ts';
import { writeReport } from './write-report.ts';

/** Runs an operation under observation, and puts what was seen into `extensions.explain` of its answer. */
export async function explainOperation({ settings, request, invocation, input, run }: Explainable): Promise<OperationOutcome> {
  const recording = new Recording();
  const leftAtStart = invocation.deadlineLeft();
  const watchCall = recording.watchCall.bind(recording);
  const outcome = await withResolverPaths(async () => run(recording.listeningSettings(settings.operation), { ...input, watchCall }));
  const leftAtEnd = invocation.deadlineLeft();
  recording.isOver = true;
  // Its answers are its events, and they are still to come.
  if (outcome.stream !== undefined && outcome.operation?.operation === 'subscription') return outcome;

  const deadline = leftAtStart !== undefined && leftAtEnd !== undefined ? { leftAtStart, leftAtEnd } : undefined;
  const inParts = outcome.stream !== undefined;
  const explain = writeReport({ recording, settings, request, operationRequest: input.request, deadline, inParts });
  // The report is of this one run, and of no use in a store.
  outcome.head.headers.set('cache-control', 'no-store');
  return { ...outcome, result: { ...outcome.result, extensions: { ...outcome.result.extensions, explain } } };
}
