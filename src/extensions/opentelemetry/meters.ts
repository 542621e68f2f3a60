import type { Counter, Histogram, Meter } from '@opentelemetry/api';

import type { OperationRecord } from '../operation-record/index.ts';

/** The most operation names that are counted separately: clients can make up any number. */
const maxNames = 100;
/** The most names in the life of a process, because exporters keep each name. */
const maxNamesEver = 1000;

/** Boundaries of the histogram in seconds: those of OpenTelemetry's HTTP metrics. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of this library. */
export class Meters {
  readonly #duration: Histogram;
  readonly #errors: Counter;
  readonly #calls: Counter;
  /** How often each name occurred: the names that are counted separately, and some candidates. */
  readonly #names = new Map<string, number>();
  readonly #others = new Map<string, number>();
  #namesEver = 0;

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

  /** Returns the name if it is counted separately. A name that occurs more often than the rarest counted name takes its place. */
  #boundedName(name = ''): string {
    const names = this.#names;
    if (name === '') return name;
    const count = (names.get(name) ?? this.#others.get(name) ?? 0) + 1;
    if (!names.has(name)) {
      const [rarest, least] = [...names].reduce((one, other) => (other[1] < one[1] ? other : one), ['', Infinity]);
      if (names.size === maxNames && (count <= least || this.#namesEver === maxNamesEver)) {
        if (this.#others.size === maxNamesEver) this.#others.clear();
        this.#others.set(name, count);
        return '_OTHER';
      }
      if (names.size === maxNames) names.delete(rarest);
      this.#namesEver++;
    }
    names.set(name, count);
    return name;
  }
}
