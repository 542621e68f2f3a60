import type { Counter, Histogram, Meter } from '@opentelemetry/api';

import type { OperationRecord } from '../operation-record/index.ts';

/** The most operation names that are counted separately in the life of a process: clients can invent any number. */
const maxNames = 100;

/** Boundaries of the histogram in seconds: those of OpenTelemetry's HTTP metrics. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of this library. */
export class Meters {
  readonly #duration: Histogram;
  readonly #errors: Counter;
  readonly #calls: Counter;
  readonly #names = new Set<string>();

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram('graphql.server.operation.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.#errors = meter.createCounter('graphql.server.errors', { unit: '{error}' });
    this.#calls = meter.createCounter('graphql_functions.data_source.calls', { unit: '{call}' });
  }

  /** Records an operation that has ended. */
  operation({ outcome, start, codes }: OperationRecord): void {
    const attributes = {
      'graphql.operation.type': outcome?.operation?.operation ?? 'none',
      'graphql.operation.name': this.#boundedName(outcome?.operation?.name?.value),
    };
    const [first] = codes.keys();
    this.#duration.record((performance.now() - start) / 1000, first === undefined ? attributes : { ...attributes, 'error.type': first });
    for (const [code, count] of codes) this.#errors.add(count, { ...attributes, 'error.type': code });
  }

  call(source: string, outcome: string): void {
    this.#calls.add(1, { 'graphql_functions.data_source': source, 'graphql_functions.cache.outcome': outcome });
  }

  #boundedName(name = ''): string {
    if (name !== '' && this.#names.size < maxNames) this.#names.add(name);
    return name === '' || this.#names.has(name) ? name : '_OTHER';
  }
}
