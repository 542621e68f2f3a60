import type { Milliseconds } from '../../datasources/index.ts';
import { uncacheable } from '../../server/for-tools.ts';
import type { Explainable } from '../../server/for-tools.ts';
import type { OperationOutcome } from '../../server/index.ts';
import { messageOf, textOfRule } from '../../shared/index.ts';
import type { RightsRule } from '../../shared/index.ts';
import { whyAnswered } from './cache-words.ts';
import { Recording } from './operation-recording.ts';
import type { ExplainedCall, ExplainedTimes, ExplainReport } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** Runs an operation and adds a report about it to the response as `extensions.explain`. */
export async function explainOperation(explainable: Explainable): Promise<OperationOutcome> {
  const recording = new Recording();
  const outcome = await recording.record(explainable);
  // A subscription's events come later.
  if (outcome.stream !== undefined && outcome.operation?.operation === 'subscription') return outcome;
  const times = [...recording.milliseconds, ['total', performance.now() - recording.startedAt] as const];
  const { door } = explainable.call;
  const rules = explainable.operation.seen?.facts.get('rights') as readonly RightsRule[] | undefined;
  const explain: ExplainReport = {
    ...(door && { door: door.name }),
    ...(rules?.length && { needs: rules.map(textOfRule) }),
    milliseconds: Object.fromEntries(times.map(([step, time]) => [step, round(time)])) as unknown as ExplainedTimes,
    calls: recording.calls.map((one) => toCall(recording, one)),
  };
  // The report describes only this run.
  outcome.head.headers.set('cache-control', uncacheable);
  return { ...outcome, result: { ...outcome.result, extensions: { ...outcome.result.extensions, explain } } };
}

function toCall(recording: Recording, call: WatchedCall): ExplainedCall {
  const { request, field, tries, error, start, end, status } = call;
  return {
    source: sourceName(recording.contextValue, call.source),
    method: request.method,
    url: shownURL(request.url === '' ? request.path : request.url),
    ...(field !== undefined && { field }),
    cache: call.layer,
    why: whyAnswered(call),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error: messageOf(error) }),
    start: round(start - recording.startedAt),
    ...(end !== undefined && { duration: round(end - start) }),
    tries,
  };
}

function sourceName(contextValue: unknown, source: object): string {
  const { dataSources = {} } = (contextValue ?? {}) as { dataSources?: Readonly<Record<string, unknown>> };
  const known = Object.entries(dataSources).find(([, value]) => value === source);
  return known?.[0] ?? source.constructor.name;
}

/** A URL without user name, password, and values of parameters that may be secrets. A path of a call that failed early has no parameters. */
function shownURL(text: string): string {
  if (!URL.canParse(text)) return text.replace(/[?#].*/s, '?***');
  const url = new URL(text);
  Object.assign(url, { username: '', password: '', hash: '' });
  for (const name of new Set(url.searchParams.keys())) if (secretive.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** Parameters that may contain secrets. A false match hides a harmless value; a missing one shows a secret. */
const secretive = /key|token|secret|pass|pwd|auth|credential|session|signature|^sig$|jwt|access|^code$/i;

function round(milliseconds: Milliseconds): Milliseconds {
  return Math.round(milliseconds * 100) / 100;
}
