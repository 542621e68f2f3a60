import type { Seconds } from '../../datasources/index.ts';
import type { HTTPResponse, Milliseconds, StreamedResponse } from '../../shared/index.ts';
import type { OperationCall, OperationOutcome, RequestCall } from '../../server/index.ts';
import type { Answered } from './contents.ts';
import type { Dialect } from './dialects.ts';
import type { EdgeDecision } from './options.ts';
import type { ResolverHints } from './resolver-hints.ts';
import type { TagExtensions } from './router-tags.ts';
import type { OperationHints } from './schema-hints.ts';
import type { Lookup } from './store/answer-store.ts';
import { fit, tagsOfAnswer } from './tags.ts';
import type { TagSettings } from './tags.ts';
import type { RequestWatch } from './watched-request.ts';

/** One request, as the extension sees it. */
export interface EdgeRequest extends RequestWatch {
  /** The original call, without a watch. */
  readonly call: RequestCall;
  /** The tags that were purged since the request arrived. */
  readonly purged: Set<string>;
  /** The time before any data of the answer was read, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly operations: EdgeOperation[];
  /** The tags for a router, which reads them from the `extensions` of a public answer. */
  tagExtensions?: TagExtensions;
}

/** One operation, as the extension sees it. */
export interface EdgeOperation extends Pick<OperationCall, 'request' | 'requestIsBatched' | 'facts'> {
  /** The outcome, once the operation has ended. */
  outcome?: OperationOutcome;
  /** The hints of resolvers, if the operation was executed. */
  resolverHints?: ResolverHints;
  /** The result from the shared store of answers; undefined if the store was not read. */
  lookup?: Lookup;
  /** The time, in milliseconds since 1970, at which the first of the stored responses behind the answer expires. Default: Infinity */
  freshUntil: Milliseconds;
  /** The fields that `context` and hooks had set when the operation ended. */
  fields: readonly (readonly [name: string, value: string])[];
}

/** An answer that every client may get according to the operation and its hints. */
export interface Shareable {
  readonly request: EdgeRequest;
  readonly operation: EdgeOperation;
  readonly hints: OperationHints;
  readonly data: Answered;
  readonly maxAge: Seconds;
}

/**
 * Decides whether other clients may get an answer, by every rule that does not depend on the store. A string names the first rule that is
 * broken.
 */
export function assess(
  request: EdgeRequest,
  response: HTTPResponse | StreamedResponse,
  hintsOf: (operation: EdgeOperation) => OperationHints | undefined,
): Shareable | string {
  const [operation] = request.operations as [EdgeOperation];
  // The outcome comes before the header fields: it is the reason why errors and mutations have "no-store".
  const reason = reasonInRequest(request) ?? reasonInOutcome(response.status, operation?.outcome) ?? reasonInFields(response.headers);
  if (reason !== undefined) return reason;
  const hints = hintsOf(operation);
  if (hints === undefined) return 'its document is unknown';
  const { lookup, resolverHints, freshUntil, outcome } = operation;
  const ofRun = resolverHints?.isEmpty === false ? resolverHints.overall(hints.root) : hints.policy;
  const policy: OperationHints['policy'] = lookup?.hit === undefined ? ofRun : { maxAge: lookup.hit.maxAge };
  if (!(Math.floor(policy.maxAge ?? 0) > 0))
    return `${policy.unstored ?? 'a field'} cannot be stored: the shortest maxAge of its hints is 0`;
  if (policy.scope === 'PRIVATE') return `the scope of ${policy.unshared ?? 'a field'} is PRIVATE`;
  // After a purge, an answer may still be made of responses from before the change: it must not live longer than they do.
  const maxAge = Math.floor(Math.min(policy.maxAge!, (freshUntil - Date.now()) / 1_000));
  if (maxAge <= 0) return 'a stored response of a data source lives for less than a second';
  return { request, operation, hints, data: outcome!.result.data as Answered, maxAge };
}

function reasonInRequest({ readings, operations }: EdgeRequest): string | undefined {
  if (operations.length === 0) return 'no operation was run';
  if (operations.some(({ requestIsBatched }) => requestIsBatched)) return 'it is a batch';
  return readings.personal === undefined ? undefined : `${readings.personal} was read`;
}

function reasonInOutcome(status: number, outcome: OperationOutcome | undefined): string | undefined {
  if (status !== 200) return `the status is ${status}`;
  const { result, errors, operation, stream } = outcome ?? {};
  if (operation?.operation !== 'query' || stream !== undefined) return 'it is not a query with a single answer';
  if (result?.errors !== undefined || (errors !== undefined && errors.length > 0)) return 'it has errors';
  return result?.data === undefined || result.data === null ? 'it has no data' : undefined;
}

function reasonInFields(headers: HTTPResponse['headers']): string | undefined {
  // The application has set any other value. Then the extension does not change the answer.
  if (headers.get('cache-control') !== 'private, no-store' || headers.has('expires')) return 'its cache-control was set elsewhere';
  return headers.getSetCookie().length > 0 ? 'it sets a cookie' : undefined;
}

/** A store that may keep an answer. */
export interface Keeper {
  /** The methods that the key of the store distinguishes. */
  readonly methods: readonly string[];
  readonly dialect: Pick<Dialect, 'tags' | 'vary' | 'keyHasAccept'>;
  /** The fields of the answer by which it may vary. */
  readonly vary: string | null;
}

/** Decides whether one store may keep an answer that may be shared. */
export function decideFor(
  { methods, dialect, vary }: Keeper,
  { request, operation, hints, data, maxAge }: Shareable,
  settings: TagSettings,
): EdgeDecision {
  const { call, readings, rules, purged } = request;
  const { method } = call.request;
  if (!methods.includes(method)) return notShareable(`the method is ${method}`);
  const wrong = fieldsOf(vary).find(
    (field) =>
      ['*', 'cookie', 'authorization'].includes(field) ||
      dialect.vary === 'ignored' ||
      (dialect.vary !== 'honoured' && !rules.varyHeaders.has(field) && !(dialect.vary === 'written' && field === 'origin')),
  );
  if (wrong !== undefined) return notShareable(`it varies by ${wrong}, which is not in the key`);
  if ((readings.varies && dialect.vary === 'ignored') || (readings.hasAccept && dialect.keyHasAccept === false))
    return notShareable('a header was read that this store cannot vary by');
  const hit = operation.lookup?.hit;
  const decision = { public: true, maxAge, ...(hit !== undefined && { hit: true as const }) } as const;
  if (dialect.tags === undefined) return { ...decision, tags: [] };
  const tags =
    hit === undefined ? tagsOfAnswer(hints.root, data, dialect.tags, settings) : [hit.tags].find((all) => fit(all, dialect.tags!));
  if (tags === undefined) return notShareable('it has more tags than the store accepts');
  if (tags.some((tag) => purged.has(tag))) return notShareable('its data has changed in the meantime');
  return { ...decision, tags };
}

/** A private answer. */
export function notShareable(reason: string): { readonly public: false; readonly reason: string } {
  return { public: false, reason };
}

/** The fields of Vary, without those by which every answer varies. */
function fieldsOf(vary: string | null): readonly string[] {
  const fields = (vary ?? '').toLowerCase().split(',');
  return fields.map((field) => field.trim()).filter((field) => !['', 'accept', 'accept-encoding'].includes(field));
}
