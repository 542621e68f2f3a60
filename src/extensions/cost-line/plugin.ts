import { aFunction, assertEntries, byteLength, escapeControls, isPromiseLike, text } from '../../shared/index.ts';
import type { AnswerDecision, Expectation, HTTPRequest } from '../../shared/index.ts';
import type { OperationCall, OperationOutcome, RequestCall, ServerPlugin } from '../../server/index.ts';
import { OperationRecord } from '../operation-record/index.ts';
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

const expectations: Readonly<Record<keyof CostLineOptions, Expectation>> = {
  format: { words: '"json" or "emf"', holds: (value) => value === 'json' || value === 'emf' },
  namespace: text,
  write: aFunction,
};

/**
 * Writes one line for each operation with its name, duration, data source calls and bytes, also for refused requests. The line is written
 * before the platform gets the answer; for a stream, at its end.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [costLine()] });
 */
export function costLine(options: CostLineOptions = {}): ServerPlugin {
  assertEntries('', options, expectations, 'costLine');
  // oxlint-disable-next-line no-console -- platforms read log lines from there
  const { format = 'json', namespace = 'GraphQL', write = (line: string) => console.log(escapeControls(line)) } = options;
  /** The facts of this plugin. */
  const own = Symbol('costLine');
  let cold = true;

  const writeAll = (request: Request, call: RequestCall, sent: Sent): void => {
    for (const [record, outcome] of toRecords(request, call, sent)) {
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
      const request: Request = { cold, start: performance.now(), cpu: cpuUsage(), operations: [] };
      cold = false;
      call.facts.set(own, request);
      const response = await next();
      const { status, body } = response;
      if (typeof body === 'object' && body !== null) request.streamStatus = status;
      else writeAll(request, call, { status, bytesOut: byteLength(body ?? '') });
      return response;
    },
    async operation(call, next) {
      const operation = { call, record: OperationRecord.of(call), calls: 0, callMilliseconds: 0, outcomes: {} };
      (call.call.facts.get(own) as Request | undefined)?.operations.push(operation);
      call.facts.set(own, operation);
      const outcome = await next();
      operation.record.add(outcome);
      return outcome;
    },
    async payload(call, next) {
      const payload = await next();
      const request = call.call.facts.get(own) as Request | undefined;
      if (payload !== undefined) OperationRecord.of(call).add(payload);
      else if (request?.streamStatus !== undefined) writeAll(request, call.call, { status: request.streamStatus });
      return payload;
    },
    sourceCall({ request, operation: operationCall }) {
      const operation = operationCall.facts.get(own) as Operation | undefined;
      if (operation === undefined) return undefined;
      const start = performance.now();
      operation.calls++;
      return {
        ended: () => {
          const outcome = request.outcome ?? 'none';
          operation.outcomes[outcome] = (operation.outcomes[outcome] ?? 0) + 1;
          operation.callMilliseconds += performance.now() - start;
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
  /** The status of a stream; undefined if the answer is not a stream. */
  streamStatus?: number;
}

/** `bytesOut`: undefined for a stream. */
type Sent = Pick<CostRecord, 'status' | 'bytesOut'>;

interface Operation {
  readonly call: OperationCall;
  readonly record: OperationRecord;
  calls: number;
  callMilliseconds: number;
  readonly outcomes: Record<string, number>;
}

function toRecords(
  { cold, start, cpu, operations }: Request,
  call: RequestCall,
  { status, bytesOut }: Sent,
): (readonly [CostRecord, OperationOutcome | undefined])[] {
  const used = cpu === undefined ? undefined : cpuUsage()! - cpu;
  const left = call.invocation.deadlineLeft();
  const received = bytesIn(call.request);
  const edge = call.facts.get('edge') as AnswerDecision | undefined;
  const shared = {
    ...(call.door !== 'graphql' && { door: call.door }),
    ...(call.route !== undefined && { route: call.route }),
    status,
    cold,
    ...(used !== undefined && { cpuMs: rounded(used) }),
    ...(received !== undefined && { bytesIn: received }),
    ...(bytesOut !== undefined && { bytesOut }),
    ...(left !== undefined && { deadlineLeftMs: Math.round(left) }),
    ...(edge && { sharing: { public: edge.public, hit: edge.hit, reason: edge.reason } }),
  };
  if (operations.length === 0) {
    // A new object for each record, because `write` may change it.
    const none = { operation: null, type: null, hash: null, upstream: { calls: 0, ms: 0, outcomes: {} }, errors: {} };
    return [[{ ...none, ...shared, durationMs: rounded(performance.now() - start) }, undefined]];
  }
  const size = operations.length;
  return operations.map((one, index) => [
    { ...describe(one), ...shared, ...(one.call.requestIsBatched && { batch: { index, size } }) },
    one.record.outcome,
  ]);
}

/** Returns the bytes of a request's body, or of a GET's query string; undefined for a stream of unknown length. */
function bytesIn({ body, queryString, headers }: HTTPRequest): number | undefined {
  if (body.kind === 'none') return queryString.length;
  if (body.kind === 'text') return byteLength(body.text);
  if (body.kind === 'bytes') return body.bytes.length;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  return Number.isFinite(length) ? length : undefined;
}

function describe({ call, record, calls, callMilliseconds, outcomes }: Operation): Omit<CostRecord, 'status' | 'cold'> {
  const { name = null, type = null, hash = null, ...others } = record.describe();
  const documentId = type === null ? undefined : documentIdOf(call.request);
  return {
    operation: name,
    type,
    hash,
    ...(documentId !== undefined && { documentId }),
    durationMs: rounded(record.outcome?.stream === undefined ? record.milliseconds : performance.now() - record.start),
    upstream: { calls, ms: rounded(callMilliseconds), outcomes },
    errors: Object.fromEntries(record.codes),
    ...(record.hashes.size > 0 && { errorHashes: Object.fromEntries(record.hashes) }),
    ...others,
  };
}

/** Returns the id of the document; undefined if the request has a text, because a client can send any id beside a text. */
function documentIdOf({ query, documentId, extensions }: OperationCall['request']): string | undefined {
  if (query !== undefined) return undefined;
  return documentId ?? (extensions?.['persistedQuery'] as { sha256Hash?: string } | undefined)?.sha256Hash;
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
