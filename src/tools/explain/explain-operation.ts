import { uncacheable } from '../../server/for-tools.ts';
import type { Explainable } from '../../server/for-tools.ts';
import type { OperationOutcome } from '../../server/index.ts';
import { Recording } from './operation-recording.ts';
import { pathObserver, withResolverPaths } from './resolver-paths.ts';
import { messageOf } from '../../shared/index.ts';
import type { Milliseconds } from '../../datasources/index.ts';
import { whyAnswered } from './cache-words.ts';
import { shownURL } from './shown-url.ts';
import type { ExplainedCall, ExplainedTimes, ExplainReport } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** Runs an operation and adds a report about it to the response as `extensions.explain`. */
export async function explainOperation({ call, operation, run }: Explainable): Promise<OperationOutcome> {
  const { settings } = call;
  const recording = new Recording();
  const leftAtStart = call.deadlineLeft();
  const watchCall = recording.watchCall.bind(recording);
  const outcome = await withResolverPaths(recording.noteBatch.bind(recording), async () =>
    run({ ...operation, settings: recording.listeningSettings(settings.operation), watchCall, observer: pathObserver }),
  );
  const leftAtEnd = call.deadlineLeft();
  recording.isOver = true;
  // A subscription's events come later.
  if (outcome.stream !== undefined && outcome.operation?.operation === 'subscription') return outcome;

  const hasDeadline = leftAtStart !== undefined && leftAtEnd !== undefined;
  const explain: ExplainReport = {
    milliseconds: timesOf(recording),
    ...(hasDeadline && { deadline: { leftAtStart: round(leftAtStart), leftAtEnd: round(leftAtEnd) } }),
    calls: recording.calls.map((one) => toCall(recording, one)),
    batches: Array.from(recording.batches, ([field, batch]) => ({ field, ...batch })),
  };
  // The report describes only this run.
  outcome.head.headers.set('cache-control', uncacheable);
  return { ...outcome, result: { ...outcome.result, extensions: { ...outcome.result.extensions, explain } } };
}

function timesOf({ milliseconds, startedAt }: Recording): ExplainedTimes {
  const stages = Object.entries({ ...milliseconds, total: performance.now() - startedAt });
  return Object.fromEntries(
    stages.flatMap(([stage, time]) => (time === undefined ? [] : [[stage, round(time)]])),
  ) as unknown as ExplainedTimes;
}

function toCall(recording: Recording, call: WatchedCall): ExplainedCall {
  const { request, field, tries, error, start, end } = call;
  const status = call.layer === 'memo' ? memoized(recording.calls, call)?.status : call.status;
  return {
    source: sourceName(recording.contextValue, call.source),
    method: request.method,
    url: shownURL(request.url === '' ? request.path : request.url),
    ...(field && { field: field.join('.') }),
    cache: call.layer,
    why: whyAnswered(call),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error: messageOf(error) }),
    start: round(start - recording.startedAt),
    ...(end !== undefined && { duration: round(end - start) }),
    tries,
  };
}

/** The call whose response the memo returned. */
function memoized(calls: readonly WatchedCall[], { source, request, start }: WatchedCall): WatchedCall | undefined {
  return calls.findLast(
    (one) =>
      one.source === source &&
      one.request.url === request.url &&
      one.layer !== 'memo' &&
      one.request.method === 'GET' &&
      one.start <= start,
  );
}

function sourceName(contextValue: unknown, source: object): string {
  const { dataSources = {} } = (contextValue ?? {}) as { dataSources?: Readonly<Record<string, unknown>> };
  const known = Object.entries(dataSources).find(([, value]) => value === source);
  return known?.[0] ?? source.constructor.name;
}

function round(milliseconds: Milliseconds): Milliseconds {
  return Math.round(milliseconds * 100) / 100;
}
