import type { DocumentNode, GraphQLSchema } from 'graphql';

import type { Seconds } from '../../cache/key-value-cache.ts';
import type { HeaderMap } from '../../message/header-map.ts';
import type { HTTPResponse, StreamedResponse } from '../../message/http-messages.ts';
import type { GraphQLRequest, OperationOutcome } from '../../operation/types.ts';
import type { CacheHint } from '../cache-hints/policy.ts';
import type { Dialect } from './dialects.ts';
import type { EdgeDecision } from './options.ts';
import type { PurgeLog } from './purge.ts';
import type { ResolverHints } from './resolver-hints.ts';
import type { Selection } from './selection.ts';
import type { OperationHints, StaticHints } from './static-hints.ts';
import { tagsOfAnswer } from './tags.ts';
import type { TagSettings } from './tags.ts';
import type { Answered } from './walk-answer.ts';
import type { ReadingRules, Readings } from './watched-request.ts';

/** What is known of one request. */
export interface EdgeRequest {
  readonly method: string;
  readonly readings: Readings;
  /** The moment of the purge log at which it came. */
  readonly begun: number;
  readonly operations: EdgeOperation[];
}

/** What is known of one operation. */
export interface EdgeOperation {
  readonly request: GraphQLRequest;
  /** Undefined until it has ended. */
  outcome: OperationOutcome | undefined;
  /** Undefined until the operation was chosen. */
  chosen: { readonly schema: GraphQLSchema; readonly document: DocumentNode } | undefined;
  /** Undefined when its context value served another operation at the same time. */
  resolverHints: ResolverHints | undefined;
}

/** What a decision depends on beside the request. */
export interface DecisionSettings extends TagSettings {
  readonly dialect: Dialect;
  readonly hints: StaticHints;
  readonly log: PurgeLog;
  readonly defaultMaxAge: Seconds;
  readonly rules: ReadingRules;
}

/** Whether the store may keep an answer. Private, unless every rule is kept. */
export function decide(
  request: EdgeRequest | undefined,
  response: HTTPResponse | StreamedResponse,
  settings: DecisionSettings,
): EdgeDecision {
  if (request === undefined) return no('the request was not watched');
  const reason = reasonInRequest(request) ?? reasonInResponse(response, settings);
  if (reason !== undefined) return no(reason);
  const [{ outcome, chosen, resolverHints, request: asked }] = request.operations as [Required<EdgeOperation>];
  const reasonOfOutcome = reasonInOutcome(outcome);
  if (reasonOfOutcome !== undefined) return no(reasonOfOutcome);
  if (chosen === undefined || resolverHints === undefined) return no('its context value served another operation, too');
  const hints = settings.hints.of({ ...chosen, operation: outcome!.operation!, variables: asked.variables });
  if (hints === undefined) return no('the operation has no root');
  const data = outcome!.result.data as Answered;
  const policy = overallPolicy(hints, { resolverHints, data }, settings);
  if (policy === null) return no('the answer is too large to look at');
  const lifetime = Math.floor(policy.maxAge ?? 0);
  if (!(lifetime > 0)) return no('a field may not be kept: the shortest maxAge of its hints is 0');
  if (policy.scope === 'PRIVATE') return no('the scope of a field is PRIVATE');
  return withTags(request, { selection: hints.selection, data, maxAge: lifetime }, settings);
}

function no(reason: string): EdgeDecision {
  return { public: false, reason };
}

function reasonInRequest({ method, readings, operations }: EdgeRequest): string | undefined {
  if (method !== 'GET') return `the method is ${method}`;
  if (operations.length !== 1) return operations.length === 0 ? 'no operation was run' : 'it is a batch';
  return readings.personal === undefined ? undefined : `${readings.personal} was read`;
}

function reasonInResponse({ status, headers, body }: HTTPResponse | StreamedResponse, settings: DecisionSettings): string | undefined {
  if (status !== 200) return `the status is ${status}`;
  if (typeof body !== 'string') return 'the answer comes in parts';
  if (headers.getSetCookie().length > 0) return 'it sets a cookie';
  // Whatever else stands there somebody has set, and answers for.
  if (headers.get('cache-control') !== 'private, no-store' || headers.has('expires')) return 'its cache-control was set by other means';
  return reasonInVary(headers, settings);
}

function reasonInVary(headers: HeaderMap, { dialect, rules }: DecisionSettings): string | undefined {
  const fields = (headers.get('vary') ?? '')
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

function reasonInOutcome(outcome: OperationOutcome | undefined): string | undefined {
  const { result, errors, operation, stream } = outcome ?? {};
  if (operation?.operation !== 'query' || stream !== undefined) return 'it is no query with one answer';
  if (result?.errors !== undefined || (errors !== undefined && errors.length > 0)) return 'it has errors';
  return result?.data === undefined || result.data === null ? 'it has no data' : undefined;
}

/** The schema's word, unless a resolver has said anything. */
function overallPolicy(
  { selection, policy }: OperationHints,
  { resolverHints, data }: { readonly resolverHints: ResolverHints; readonly data: Answered },
  { defaultMaxAge }: DecisionSettings,
): CacheHint | null {
  return resolverHints.isEmpty ? policy : resolverHints.overall(selection, data, defaultMaxAge);
}

function withTags(
  { readings, begun }: EdgeRequest,
  { selection, data, maxAge }: { readonly selection: Selection; readonly data: Answered; readonly maxAge: Seconds },
  settings: DecisionSettings,
): EdgeDecision {
  const { dialect, log } = settings;
  if (readings.varies && dialect.vary === 'ignored') return no('a header was read by which this store cannot vary');
  if (dialect.tags === undefined) return { public: true, maxAge, tags: [] };
  const tags = tagsOfAnswer(selection, data, dialect.tags, settings);
  if (tags === undefined) return no('its tags are more than the store takes');
  if (log.hasSince(begun, tags)) return no('what it shows has changed meanwhile');
  return { public: true, maxAge, tags };
}
