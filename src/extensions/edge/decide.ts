import type { OperationDefinitionNode } from 'graphql';

import type { Seconds } from '../../datasources/index.ts';
import type { HTTPRequest, HTTPResponse, Milliseconds, StreamedResponse } from '../../shared/index.ts';
import type { AnsweredObjects, GraphQLRequest, OperationOutcome, RequestCall } from '../../server/index.ts';
import type { Lookup } from './store/answer-store.ts';
import type { Dialect } from './dialects.ts';
import type { KnownDocument } from './documents.ts';
import type { EdgeDecision } from './options.ts';
import type { PurgeLog } from './purge/purge-log.ts';
import type { ResolverHints } from './resolver-hints.ts';
import type { AnswerSelection } from './selection.ts';
import type { OperationHints, StaticHints } from './static-hints.ts';
import { tagsOfAnswer } from './tags.ts';
import type { TagSettings } from './contents.ts';
import type { Answered } from './walk-answer.ts';
import type { ReadingRules, Readings } from './watched-request.ts';

/** One request, as the extension sees it. */
export interface EdgeRequest {
  /** The extension that watches the request. Each extension has separate records. */
  readonly edge: object;
  /** The original call, without a watch. */
  readonly call: RequestCall;
  /** The request of `call`. */
  readonly original: HTTPRequest;
  readonly readings: Readings;
  /** The moment of the purge log at which it arrived. */
  readonly purgeMoment: number;
  /** The time before any data of the answer was read, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly operations: EdgeOperation[];
  isBatch: boolean;
  /** True when the request wants a report, which only development sends. */
  readonly isExplained: boolean;
}

/** One operation, as the extension sees it. */
export interface EdgeOperation {
  readonly request: GraphQLRequest;
  /** Undefined unless the operation is executed. */
  planned: PlannedOperation | undefined;
  /** Undefined until the operation has ended. */
  outcome: OperationOutcome | undefined;
  /** Undefined if no resolver can set a hint. */
  resolverHints: ResolverHints | undefined;
  /** The result from the shared store of answers. Undefined: the store was not read. */
  lookup: Lookup | undefined;
  /** When the first stored response of a data source that the answer is based on expires, in milliseconds since 1970. Default: Infinity */
  freshUntil: Milliseconds;
  /** The fields that `context` and hooks had set when it ended. */
  fields: readonly (readonly [name: string, value: string])[];
}

/** The record of one operation of a request. */
export function operationOf({ operations }: EdgeRequest, request: GraphQLRequest): EdgeOperation {
  for (const operation of operations) if (operation.request === request) return operation;
  const operation: EdgeOperation = {
    request,
    planned: undefined,
    outcome: undefined,
    resolverHints: undefined,
    lookup: undefined,
    freshUntil: Infinity,
    fields: none,
  };
  operations.push(operation);
  return operation;
}

const none: readonly never[] = [];

/** An operation that is executed, and its hints. */
export interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  /** Undefined: the schema has no root type for it. */
  readonly hints: OperationHints | undefined;
}

/** The settings that a decision depends on, beside the request. */
export interface DecisionSettings extends TagSettings {
  readonly hints: StaticHints;
  readonly log: PurgeLog;
  readonly rules: ReadingRules;
}

/** An answer that every client may get according to the operation and its hints. */
export interface Shareable {
  readonly request: EdgeRequest;
  readonly operation: EdgeOperation;
  readonly hints: OperationHints;
  readonly selection: AnswerSelection;
  readonly data: Answered;
  readonly objects: AnsweredObjects | undefined;
  readonly maxAge: Seconds;
}

const tooShort = 'a field cannot be stored: the shortest maxAge of its hints is 0';
const notPublic = 'the scope of a field is PRIVATE';

/** A finished answer. */
export interface Answer {
  readonly request: EdgeRequest;
  readonly response: HTTPResponse | StreamedResponse;
  /** Undefined: no operation was chosen. */
  readonly known: KnownDocument | undefined;
}

/**
 * Decides whether other clients may get an answer, by every rule that does not depend on the store. A string names the first rule
 * that is broken. Throws where `entity` has failed.
 */
export function assess({ request, response, known }: Answer, settings: DecisionSettings): Shareable | string {
  const [operation] = request.operations as [EdgeOperation];
  // The outcome comes before the header fields: it is the reason why errors and mutations have "no-store".
  const reason =
    reasonInRequest(request) ?? reasonInStatus(response.status) ?? reasonInOutcome(operation.outcome) ?? reasonInFields(response.headers);
  if (reason !== undefined) return reason;
  const { outcome } = operation;
  const { failure } = outcome?.objects ?? {};
  if (failure !== undefined) throw new Error('entity has failed.', { cause: failure });
  const hints = hintsOf(operation, known, settings);
  if (hints === undefined) return 'its document is unknown';
  const data = outcome!.result.data as Answered;
  const policy = overallPolicy(hints, operation);
  if (policy === null) return 'the answer is too large to inspect';
  if (!(Math.floor(policy.maxAge ?? 0) > 0)) return tooShort;
  if (policy.scope === 'PRIVATE') return notPublic;
  // After a purge, an answer may still be made of responses from before the change: it must not live longer than they do.
  const maxAge = Math.floor(Math.min(policy.maxAge!, (operation.freshUntil - Date.now()) / 1_000));
  if (maxAge <= 0) return 'a stored response of a data source lives for less than a second';
  return { request, operation, hints, selection: hints.selection, data, objects: outcome!.objects, maxAge };
}

/** If a hook or the store had the answer, the operation was not executed, and its hints are found by its document. */
function hintsOf(
  { outcome, planned, request: { variables } }: EdgeOperation,
  known: KnownDocument | undefined,
  settings: DecisionSettings,
): OperationHints | undefined {
  const operation = outcome!.operation!;
  return planned?.operation === operation ? planned.hints : known && settings.hints.of({ known, operation, variables });
}

/** True when the hints of the schema allow a public answer. A resolver may still restrict it. */
export function mayBePublic(hints: OperationHints | undefined): boolean {
  return hints !== undefined && Math.floor(hints.policy.maxAge ?? 0) > 0 && hints.policy.scope !== 'PRIVATE';
}

function reasonInRequest({ readings, operations, isBatch }: EdgeRequest): string | undefined {
  if (operations.length === 0) return 'no operation was run';
  if (isBatch || operations.length > 1) return 'it is a batch';
  return readings.personal === undefined ? undefined : `${readings.personal} was read`;
}

function reasonInStatus(status: number): string | undefined {
  return status === 200 ? undefined : `the status is ${status}`;
}

function reasonInFields(headers: HTTPResponse['headers']): string | undefined {
  // The application has set any other value. Then the extension does not change the answer.
  if (headers.get('cache-control') !== 'private, no-store' || headers.has('expires')) return 'its cache-control was set elsewhere';
  return headers.getSetCookie().length > 0 ? 'it sets a cookie' : undefined;
}

function reasonInOutcome(outcome: OperationOutcome | undefined): string | undefined {
  const { result, errors, operation, stream } = outcome ?? {};
  if (operation?.operation !== 'query' || stream !== undefined) return 'it is not a query with a single answer';
  if (result?.errors !== undefined || (errors !== undefined && errors.length > 0)) return 'it has errors';
  return result?.data === undefined || result.data === null ? 'it has no data' : undefined;
}

/** The policy that a stored answer was kept with; otherwise that of the schema, unless a resolver has given a hint. */
function overallPolicy(
  { selection, policy }: OperationHints,
  { outcome, resolverHints, lookup }: EdgeOperation,
): OperationHints['policy'] | null {
  if (lookup?.hit !== undefined) return { maxAge: lookup.hit.maxAge, scope: 'PUBLIC' };
  if (resolverHints === undefined || resolverHints.isEmpty) return policy;
  return resolverHints.overall(selection, outcome!.result.data as Answered);
}

/** A store that may keep an answer. */
export interface Keeper {
  /** The methods that its key distinguishes. */
  readonly methods: readonly string[];
  readonly dialect: Pick<Dialect, 'tags' | 'vary' | 'keyHasAccept'>;
  /** The fields of the answer by which it may vary. */
  readonly vary: string | null;
}

/** Decides whether one store may keep an answer that may be shared. */
export function decideFor({ methods, dialect, vary }: Keeper, answer: Shareable, settings: DecisionSettings): EdgeDecision {
  const { original, readings, purgeMoment } = answer.request;
  if (!methods.includes(original.method)) return notShareable(`the method is ${original.method}`);
  const reason = reasonInVary(vary, dialect, settings);
  if (reason !== undefined) return notShareable(reason);
  if ((readings.varies && dialect.vary === 'ignored') || (readings.hasAccept && !dialect.keyHasAccept))
    return notShareable('a header was read that this store cannot vary by');
  const hit = answer.operation.lookup?.hit !== undefined;
  const decision = { public: true, maxAge: answer.maxAge, ...(hit && { hit }) } as const;
  if (dialect.tags === undefined) return { ...decision, tags: [] };
  const tags = tagsOfAnswer(answer, dialect.tags, settings);
  if (tags === undefined) return notShareable('it has more tags than the store accepts');
  if (purgeMoment !== settings.log.now && settings.log.hasSince(purgeMoment, tags))
    return notShareable('its data has changed in the meantime');
  return { ...decision, tags };
}

/** A private answer. */
export function notShareable(reason = 'the request was not watched'): { readonly public: false; readonly reason: string } {
  return { public: false, reason };
}

function reasonInVary(vary: string | null, dialect: Keeper['dialect'], { rules }: DecisionSettings): string | undefined {
  // Every answer varies by Accept.
  if (vary === null || vary === 'Accept') return undefined;
  const fields = vary
    .toLowerCase()
    .split(',')
    .map((field) => field.trim());
  const wrong = fields.find((field) => {
    if (field === '' || field === 'accept' || field === 'accept-encoding') return false;
    if (field === '*' || field === 'cookie' || field === 'authorization') return true;
    return dialect.vary === 'ignored' || (dialect.vary === 'listed' && !rules.varyHeaders.has(field));
  });
  return wrong === undefined ? undefined : `it varies by ${wrong}, which is not in the key`;
}
