import type { AnswerDecision } from '../../shared/index.ts';
import type { OperationDescription } from '../operation-record/index.ts';

/** The cost of one operation. */
export interface CostRecord extends Pick<OperationDescription, 'onError' | 'idempotency' | 'budget' | 'needs'> {
  /** The name of the operation. null: it has none, or the request was refused before an operation was chosen. */
  readonly operation: string | null;
  /** null: the request was refused before an operation was chosen. */
  readonly type: 'query' | 'mutation' | 'subscription' | null;
  /** SHA-256 of the document, as clients send it with persisted queries; null where there was no valid document. */
  readonly hash: string | null;
  /** The id of the document, if the request has no text: that of a trusted document, or the hash of a persisted query. */
  readonly documentId?: string;
  /** The name of the door by which the request came, for example "mcp". Absent for GraphQL. */
  readonly door?: string;
  /** The template of the path, if the door has one. */
  readonly route?: string;
  /** HTTP status of the whole response. */
  readonly status: number;
  /** True for the first request of a process. */
  readonly cold: boolean;
  /** Milliseconds from the operation's context to its answer, or to the end of its stream. */
  readonly durationMs: number;
  /** Milliseconds of CPU that the process used in that time, other operations included. Absent where the platform has no such figure. */
  readonly cpuMs?: number;
  /** Calls of REST data sources. */
  readonly upstream: {
    readonly calls: number;
    /** The sum of the milliseconds of all calls, concurrent ones included. */
    readonly ms: number;
    /** The number of calls by the source of their answer: "memo", "fresh", "revalidated", "stale", "miss", "bypass" or "none". */
    readonly outcomes: Readonly<Record<string, number>>;
  };
  /** Bytes of the body of the request; of a GET, of its query string. Absent for a stream of unknown length. */
  readonly bytesIn?: number;
  /** Bytes of the body of the response before the platform compresses it. Absent for a stream. */
  readonly bytesOut?: number;
  /** The number of errors by `extensions.code`. Empty if the request was refused before an operation was chosen. */
  readonly errors: Readonly<Record<string, number>>;
  /** The number of unexpected errors by their `errorHash`. Absent if there are none. */
  readonly errorHashes?: Readonly<Record<string, number>>;
  /** Milliseconds left until the deadline. Absent where there is none. */
  readonly deadlineLeftMs?: number;
  /**
   * With the extension `edge`: whether a CDN or a store may keep the answer, and if not, the first rule that it breaks.
   * `hit`: the answer came from the store. Without `public` the decision was not known yet.
   */
  readonly sharing?: AnswerDecision;
  /**
   * The place in a batch, whose bytes and status are those of the whole answer. Malformed elements do not count, because they are no
   * operations.
   */
  readonly batch?: { readonly index: number; readonly size: number };
}

/** A line of CloudWatch's Embedded Metric Format: the record, flattened, with the list of numbers that become metrics. */
export function toEmbeddedMetrics(record: CostRecord, namespace: string, timestamp: number): Record<string, unknown> {
  const { upstream, errors, batch, sharing, budget, ...flat } = record;
  const Metrics = metrics.map(([Name, Unit]) => ({ Name, Unit }));
  return {
    _aws: { Timestamp: timestamp, CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [['operation'], []], Metrics }] },
    ...flat,
    // A dimension must have a value.
    operation: record.operation ?? 'unnamed',
    coldStarts: record.cold ? 1 : 0,
    upstreamCalls: upstream.calls,
    upstreamMs: upstream.ms,
    upstreamOutcomes: upstream.outcomes,
    errorCount: Object.values(errors).reduce((sum, count) => sum + count, 0),
    errors,
    sharing,
    budget,
    batch,
  };
}

const metrics = [
  ['durationMs', 'Milliseconds'],
  ['coldStarts', 'Count'],
  ['upstreamCalls', 'Count'],
  ['upstreamMs', 'Milliseconds'],
  ['bytesOut', 'Bytes'],
  ['errorCount', 'Count'],
] as const;
