import type { Counter, Histogram, Meter } from '@opentelemetry/api';

import { now } from '../../shared/index.ts';
import type { OperationRecord } from '../operation-record/index.ts';

/** The most operation names that are counted separately in the life of a process: clients can invent any number, and send each often. */
const maxNames = 100;
/** The names that are counted from their first use on. The others are counted from their second use on. */
const firstNames = 50;
/** The number of names that are kept from their first use to their second. */
const maxWaiting = 100;

/** Boundaries of the histogram in seconds: those of OpenTelemetry's HTTP metrics. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of this library. */
export class Meters {
  readonly #duration: Histogram;
  readonly #errors: Counter;
  readonly #calls: Counter;
  readonly #names = new Set<string>();
  /** Names seen once, oldest first. */
  readonly #waiting = new Set<string>();

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram('graphql.server.operation.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.#errors = meter.createCounter('graphql.server.errors', { unit: '{error}' });
    this.#calls = meter.createCounter('graphql_functions.data_source.calls', {
      unit: '{call}',
    });
  }

  /** Records an operation that has ended. */
  operation({ outcome, start, codes }: OperationRecord): void {
    const attributes = {
      'graphql.operation.type': outcome?.operation?.operation ?? 'none',
      'graphql.operation.name': this.#boundedName(outcome?.operation?.name?.value),
    };
    const [first] = codes.keys();
    this.#duration.record((now() - start) / 1000, first === undefined ? attributes : { ...attributes, 'error.type': first });
    for (const [code, count] of codes) this.#errors.add(count, { ...attributes, 'error.type': code });
  }

  call(source: string, outcome: string): void {
    this.#calls.add(1, { 'graphql_functions.data_source': source, 'graphql_functions.cache.outcome': outcome });
  }

  /** Names that are invented for one request do not use up the second half. */
  #boundedName(name = ''): string {
    if (name === '' || this.#names.has(name)) return name;
    if (this.#names.size === maxNames) return other;
    if (this.#names.size >= firstNames && !this.#waiting.delete(name)) {
      const [oldest] = this.#waiting;
      if (this.#waiting.size === maxWaiting) this.#waiting.delete(oldest!);
      this.#waiting.add(name);
      return other;
    }
    this.#names.add(name);
    return name;
  }
}

const other = '_OTHER';
