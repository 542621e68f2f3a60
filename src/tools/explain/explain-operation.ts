import { budgetOf, parseMediaType, runOf, uncacheable } from '../../server/for-tools.ts';
import type { CSRFSettings, Explainable, OperationSettings } from '../../server/for-tools.ts';
import type { GraphQLRequest, OperationOutcome } from '../../server/index.ts';
import { Recording } from './operation-recording.ts';
import { withResolverPaths } from './resolver-paths.ts';
import type { GraphQLSchema } from 'graphql';
import { messageOf } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import type { Milliseconds } from '../../datasources/index.ts';
import { whyAnswered } from './cache-words.ts';
import { findLongestChain } from './longest-chain.ts';
import { shownURL } from './shown-url.ts';
import type {
  ExplainedBatch,
  ExplainedCall,
  ExplainedDocument,
  ExplainedExecutor,
  ExplainedResolver,
  ExplainedSchema,
  ExplainedTimes,
  ExplainReport,
} from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** Runs an operation and adds a report about it to the response as `extensions.explain`. */
export async function explainOperation({ call, input, run }: Explainable): Promise<OperationOutcome> {
  const { settings, request, invocation } = call;
  const recording = new Recording();
  const leftAtStart = invocation.deadlineLeft();
  const watchCall = recording.watchCall.bind(recording);
  const outcome = await withResolverPaths(recording.noteResolver.bind(recording), async () =>
    run(recording.listeningSettings(settings.operation), { ...input, watchCall }),
  );
  const leftAtEnd = invocation.deadlineLeft();
  recording.isOver = true;
  // A subscription's events come later.
  if (outcome.stream !== undefined && outcome.operation?.operation === 'subscription') return outcome;

  const deadline = leftAtStart !== undefined && leftAtEnd !== undefined ? { leftAtStart, leftAtEnd } : undefined;
  const explain = writeReport({
    recording,
    settings,
    request,
    operationRequest: input.request,
    deadline,
    idempotency: runOf(input.head),
    budget: input.call && budgetOf(input.call, input.head),
    onError: outcome.onError,
  });
  // The report describes only this run.
  outcome.head.headers.set('cache-control', uncacheable);
  return { ...outcome, result: { ...outcome.result, extensions: { ...outcome.result.extensions, explain } } };
}

/** The data of a report. */
export interface ReportInput {
  readonly recording: Recording;
  readonly settings: Explainable['call']['settings'];
  readonly request: HTTPRequest;
  readonly operationRequest: GraphQLRequest;
  readonly deadline: ExplainReport['deadline'] | undefined;
  /** True when more parts of the response follow. */
  readonly idempotency: ExplainReport['idempotency'] | undefined;
  readonly budget: ExplainReport['budget'] | undefined;
  readonly onError: ExplainReport['onError'] | undefined;
}

function writeReport({ recording, settings, request, operationRequest, deadline, ...known }: ReportInput): ExplainReport {
  const { idempotency, budget, onError } = known;
  const { calls } = recording;
  const longestChain = findLongestChain(calls);
  return {
    milliseconds: timesOf(recording),
    document: documentOf(recording, operationRequest),
    executor: executorOf(recording, settings.operation),
    schema: schemaOf(settings.operation.schema),
    csrf: whyAllowed(settings, request),
    ...(onError && { onError }),
    ...(idempotency && { idempotency }),
    ...(budget && { budget }),
    ...(deadline && { deadline: { leftAtStart: round(deadline.leftAtStart), leftAtEnd: round(deadline.leftAtEnd) } }),
    calls: calls.map((call) => toCall(recording, call)),
    resolvers: resolversOf(recording),
    batches: batchesOf(recording),
    ...(longestChain && { longestChain: { ...longestChain, milliseconds: round(longestChain.milliseconds) } }),
  };
}

function timesOf({ milliseconds, startedAt }: Recording): ExplainedTimes {
  const stages = Object.entries({ ...milliseconds, total: performance.now() - startedAt });
  return Object.fromEntries(
    stages.flatMap(([stage, time]) => (time === undefined ? [] : [[stage, round(time)]])),
  ) as unknown as ExplainedTimes;
}

/** The resolvers in the order of their first calls. */
function resolversOf({ resolvers, startedAt }: Recording): ExplainedResolver[] {
  return Array.from(resolvers, ([field, { calls, open, start, end, longest }]) => ({
    field,
    calls,
    start: round(start - startedAt),
    ...(open === 0 && { duration: round(end - start) }),
    longest: round(longest),
  }));
}

/** The batched resolvers in the order of their first calls. */
function batchesOf({ resolvers }: Recording): ExplainedBatch[] {
  return Array.from(resolvers).flatMap(([field, { calls, parents }]) => (parents === undefined ? [] : { field, calls, parents }));
}

function documentOf(recording: Recording, { query, extensions, documentId }: GraphQLRequest): ExplainedDocument {
  const { milliseconds, hasSource } = recording;
  const cached = hasSource ? { cached: milliseconds.parse === undefined } : {};
  const hasHash = extensions?.['persistedQuery'] !== undefined && extensions['persistedQuery'] !== null;
  const { foundQuery, keptQuery } = recording;
  if (query !== undefined && hasHash)
    return { ...cached, from: 'request', persistedQuery: keptQuery ? 'registered' : foundQuery ? 'known' : 'refused' };
  if (query !== undefined) return { ...cached, from: 'request' };
  if (hasHash && (foundQuery || !hasSource)) return { ...cached, from: 'persisted query', persistedQuery: foundQuery ? 'hit' : 'miss' };
  return { ...cached, from: documentId !== undefined || hasHash ? 'trusted document' : 'request' };
}

function executorOf({ milliseconds, operation }: Recording, { executor }: OperationSettings): ExplainedExecutor {
  if (operation === undefined) return { ran: 'none', why: 'The request was refused before its operation was found.' };
  if (milliseconds.execute === undefined)
    return { ran: 'none', why: 'The operation was refused, or a plugin answered (responseForOperation).' };
  if (executor !== undefined) return { ran: 'graphql-js', why: 'The option executor is graphqlJSExecutor().' };
  return { ran: 'planned', why: 'Operations run from a plan, which is created on the first run and stored with the document.' };
}

/** A lazy schema has `progress`. Its class cannot be checked, because it may come from another copy of this package. */
function schemaOf(schema: GraphQLSchema & { readonly progress?: { readonly made: number; readonly of: number } }): ExplainedSchema {
  const { progress } = schema;
  if (progress === undefined) return { kind: 'whole', why: 'It was passed as a GraphQLSchema (option schema).' };
  const { made: typesMade, of: typesDefined } = progress;
  const isAll = typesMade === typesDefined;
  const why = isAll
    ? 'All types have been created, by operations or by introspection.'
    : 'Created from typeDefs: a type is created when an operation first uses it.';
  return { kind: 'lazy', why, typesMade, typesDefined };
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

/** The rule of CSRF prevention that allowed the request. */
function whyAllowed({ csrfPrevention, csrfRequestHeaders }: CSRFSettings, { headers, body }: HTTPRequest): string {
  if (body.kind === 'value') return 'A direct invocation: no web page can send one.';
  const essence = parseMediaType(headers.get('content-type') ?? '')?.essence;
  if (essence === 'application/json')
    return 'Its content type is application/json, which no page can send to another site without a preflight.';
  const header = csrfRequestHeaders.find((name) => (headers.get(name) ?? '').trim() !== '');
  if (header !== undefined) return `It has the header ${header}, which no page can send to another site without a preflight.`;
  if (csrfPrevention === 'never') return 'csrfPrevention is false: no request is checked.';
  const site = headers.get('sec-fetch-site');
  const sign = site === null ? 'it has no Sec-Fetch-Site' : `Sec-Fetch-Site is ${site}`;
  return `csrfPrevention is not set, and the request is not marked as coming from another site: ${sign}. csrfPrevention: true would refuse it.`;
}
