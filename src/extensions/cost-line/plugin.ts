import type { GraphQLError } from 'graphql';

import { assertKnownOptions, byteLength, escapeControls, isPromiseLike, now } from '../../shared/index.ts';
import type { AnswerDecision, BudgetReport, HTTPResponse, RunDecision, StreamedResponse } from '../../shared/index.ts';
import { documentHash, errorHashOf } from '../../server/for-extensions.ts';
import type { OperationCall, OperationOutcome, RequestCall, ServerPlugin } from '../../server/index.ts';
import { bytesIn, countedBody } from './bytes.ts';
import { toEmbeddedMetrics } from './record.ts';
import type { CostRecord } from './record.ts';

/** Options of {@link costLine}. */
export interface CostLineOptions {
  /** "json": the record as it is. "emf": CloudWatch's Embedded Metric Format; CloudWatch makes metrics of it. Default: "json" */
  readonly format?: 'json' | 'emf' | undefined;
  /** The namespace of the metrics, with format "emf". Default: "GraphQL" */
  readonly namespace?: string | undefined;
  /**
   * Gets each line, its record, and the outcome of the operation, with errors as they were thrown. Without an outcome, the request was
   * refused before an operation was chosen. Default: prints the line with `console.log`.
   */
  readonly write?: ((line: string, record: CostRecord, outcome: OperationOutcome | undefined) => void | Promise<void>) | undefined;
}

const known: Readonly<Record<keyof CostLineOptions, true>> = { format: true, namespace: true, write: true };

function assertCostLineOptions(options: CostLineOptions): void {
  assertKnownOptions(options, known, { of: 'costLine' });
  const { format = 'json' } = options;
  if (format !== 'json' && format !== 'emf') throw new Error(`Expected format of costLine to be "json" or "emf", got ${String(format)}.`);
}

/**
 * Writes one line for each operation with its name, duration, data source calls and bytes, also for refused requests. The line is written
 * before the platform gets the answer; for a stream, at its end.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [costLine()] });
 */
export function costLine(options: CostLineOptions = {}): ServerPlugin {
  // oxlint-disable-next-line no-console -- platforms read log lines from there
  const { format = 'json', namespace = 'GraphQL', write = (line: string) => console.log(escapeControls(line)) } = options;
  assertCostLineOptions(options);
  /** The facts of this plugin. */
  const own = Symbol('costLine');
  let cold = true;

  const writeAll = (request: Request, call: RequestCall, response: Sent): void => {
    for (const [record, outcome] of toRecords(request, call, response)) {
      const value = format === 'emf' ? toEmbeddedMetrics(record, namespace, Date.now()) : record;
      const fail = (error: unknown): void => call.logger.error('costLine could not write its line.', error);
      try {
        const written: unknown = write(JSON.stringify(value), record, outcome);
        if (isPromiseLike(written)) call.invocation.waitUntil(Promise.resolve(written).catch(fail));
      } catch (error) {
        fail(error);
      }
    }
  };

  return {
    // This plugin is the outermost, so that its time includes that of other plugins.
    position: 'first',
    onlyWatches: true,
    async request(call, next) {
      const request: Request = { cold, start: now(), cpu: cpuUsage(), operations: [] };
      cold = false;
      call.facts.set(own, request);
      const response = await next();
      return finished(response, (bytesOut, refusal) => writeAll(request, call, { status: response.status, bytesOut, refusal }));
    },
    async operation(call, next) {
      const operation = startOperation(call);
      (call.call.facts.get(own) as Request | undefined)?.operations.push(operation);
      call.facts.set(own, operation);
      const outcome = await next();
      operation.outcome = outcome;
      operation.milliseconds = now() - operation.start;
      addErrors(operation, outcome.errors);
      return outcome;
    },
    async payload({ facts }, next) {
      const payload = await next();
      const operation = facts.get(own) as Operation | undefined;
      if (payload !== undefined && operation !== undefined) addErrors(operation, payload.errors);
      return payload;
    },
    sourceCall({ request, operation: operationCall }) {
      const operation = operationCall.facts.get(own) as Operation | undefined;
      if (operation === undefined) return undefined;
      const start = now();
      operation.calls++;
      return {
        ended: () => {
          const outcome = request.outcome ?? 'none';
          operation.outcomes[outcome] = (operation.outcomes[outcome] ?? 0) + 1;
          operation.callMilliseconds += now() - start;
        },
      };
    },
  };
}

interface Request {
  readonly cold: boolean;
  readonly start: number;
  readonly cpu: number | undefined;
  readonly operations: Operation[];
}

interface Operation {
  readonly call: OperationCall;
  readonly start: number;
  outcome?: OperationOutcome;
  milliseconds: number;
  calls: number;
  callMilliseconds: number;
  readonly outcomes: Record<string, number>;
  /** The number of errors by code. */
  readonly errors: Counts;
  /** The number of errors by `errorHash`. */
  readonly errorHashes: Counts;
}

type Counts = Map<string, number>;

function startOperation(call: OperationCall): Operation {
  return { call, start: now(), milliseconds: 0, calls: 0, callMilliseconds: 0, outcomes: {}, errors: new Map(), errorHashes: new Map() };
}

interface Sent {
  readonly status: number;
  readonly bytesOut: number;
  /** The body of a response to a request that ran no operation. */
  readonly refusal: string | undefined;
}

/** Returns the same response. `end` is called when its length is known: now, or at the end of its stream. */
function finished(
  response: HTTPResponse | StreamedResponse,
  end: (bytesOut: number, refusal: string | undefined) => void,
): HTTPResponse | StreamedResponse {
  const { body } = response;
  if (typeof body === 'object' && body !== null) return { ...response, body: countedBody(body, (bytes) => end(bytes, undefined)) };
  end(body === null ? 0 : byteLength(body), body ?? undefined);
  return response;
}

function toRecords(request: Request, call: RequestCall, sent: Sent): (readonly [CostRecord, OperationOutcome | undefined])[] {
  const { cold, start, cpu, operations } = request;
  const used = cpu === undefined ? undefined : cpuUsage()! - cpu;
  const left = call.invocation.deadlineLeft();
  const received = bytesIn(call.request);
  const shared = {
    status: sent.status,
    cold,
    ...(used !== undefined && { cpuMs: rounded(used) }),
    ...(received !== undefined && { bytesIn: received }),
    bytesOut: sent.bytesOut,
    ...(left !== undefined && { deadlineLeftMs: Math.round(left) }),
    ...sharingOf(call.facts.get('edge') as AnswerDecision | undefined),
  };
  if (operations.length === 0)
    return [[{ ...noOperation(), ...shared, durationMs: rounded(now() - start), errors: codesIn(sent) }, undefined]];
  const size = operations.length;
  return operations.map((one, index) => [
    { ...describe(one), ...shared, ...(one.call.requestIsBatched && { batch: { index, size } }) },
    one.outcome,
  ]);
}

function sharingOf(decision: AnswerDecision | undefined): Pick<CostRecord, 'sharing'> {
  if (decision === undefined) return {};
  const { public: isPublic, hit, reason } = decision;
  return { sharing: { ...(isPublic !== undefined && { public: isPublic }), ...(hit && { hit }), ...(reason !== undefined && { reason }) } };
}

/** A new object for each record, because `write` may change it. */
const noOperation = (): Pick<CostRecord, 'operation' | 'type' | 'hash' | 'upstream'> => ({
  operation: null,
  type: null,
  hash: null,
  upstream: { calls: 0, ms: 0, outcomes: {} },
});

function describe(one: Operation): Omit<CostRecord, 'status' | 'cold' | 'bytesOut'> {
  const { operation, source, stream, onError } = one.outcome ?? {};
  const idempotency = one.call.facts.get('idempotency') as RunDecision | undefined;
  const documentId = operation && documentIdOf(one.call.request);
  const budget = one.call.facts.get('budget') as BudgetReport | undefined;
  return {
    operation: operation?.name?.value ?? null,
    type: operation?.operation ?? null,
    hash: operation === undefined || source === undefined ? null : documentHash(source),
    ...(documentId !== undefined && { documentId }),
    durationMs: rounded(stream === undefined ? one.milliseconds : now() - one.start),
    upstream: { calls: one.calls, ms: rounded(one.callMilliseconds), outcomes: one.outcomes },
    errors: Object.fromEntries(one.errors),
    ...(one.errorHashes.size > 0 && { errorHashes: Object.fromEntries(one.errorHashes) }),
    ...(onError && { onError }),
    ...(idempotency && { idempotency }),
    ...(budget && { budget }),
  };
}

/** Undefined if the request has a text, of which any id can be a claim. */
function documentIdOf({ query, documentId, extensions }: OperationCall['request']): string | undefined {
  if (query !== undefined) return undefined;
  return documentId ?? (extensions?.['persistedQuery'] as { sha256Hash?: string } | undefined)?.sha256Hash;
}

/** The codes of a refusal, read from its body because it has no outcome. */
function codesIn({ status, refusal }: Sent): Record<string, number> {
  if (status < 400 || refusal === undefined) return {};
  try {
    const { errors } = JSON.parse(refusal) as { errors?: readonly { extensions?: { code?: unknown } }[] };
    const counts: Counts = new Map();
    addCodes(counts, errors ?? []);
    return Object.fromEntries(counts);
  } catch {
    return {};
  }
}

function addCodes(counts: Counts, errors: readonly { readonly extensions?: { readonly code?: unknown } }[]): void {
  for (const { extensions } of errors) {
    increment(counts, typeof extensions?.code === 'string' ? extensions.code : 'INTERNAL_SERVER_ERROR');
  }
}

function addErrors({ errors, errorHashes }: Operation, added: readonly GraphQLError[]): void {
  addCodes(errors, added);
  addHashes(errorHashes, added);
}

function addHashes(counts: Counts, errors: readonly GraphQLError[]): void {
  for (const hash of errors.map(errorHashOf)) if (hash !== undefined) increment(counts, hash);
}

function increment(counts: Counts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Milliseconds of CPU. Undefined where the platform has no such figure: the function exists on Workers with nodejs_compat, and throws. */
function cpuUsage(): number | undefined {
  try {
    const { user, system } = globalThis.process.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return undefined;
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
