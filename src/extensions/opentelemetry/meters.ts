import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';

import type { OperationOutcome } from '../../server/index.ts';

/** The most operation names that are counted separately: clients can invent any number. */
const maxNames = 100;

/** Boundaries of the histogram in seconds: those of OpenTelemetry's HTTP metrics. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of this library. */
export class Meters {
  readonly #duration: Histogram;
  readonly #errors: Counter;
  readonly #calls: Counter;
  /** Least recently used first. */
  readonly #names = new Set<string>();
  /** Names seen once while `#names` was full, oldest first. */
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

  /** An operation has ended; `error` is its first. */
  operation(outcome: OperationOutcome, seconds: number, error: unknown): void {
    const attributes = this.#attributesOf(outcome);
    this.#duration.record(seconds, error === undefined ? attributes : { ...attributes, 'error.type': codeOf(error) });
  }

  errors(outcome: OperationOutcome, errors: readonly unknown[]): void {
    for (const error of errors) this.#errors.add(1, { ...this.#attributesOf(outcome), 'error.type': codeOf(error) });
  }

  call(source: string, outcome: string): void {
    this.#calls.add(1, { 'graphql_functions.data_source': source, 'graphql_functions.cache.outcome': outcome });
  }

  #attributesOf({ operation }: OperationOutcome): Attributes {
    return {
      'graphql.operation.type': operation?.operation ?? 'none',
      'graphql.operation.name': this.#boundedName(operation?.name?.value),
    };
  }

  /** When full, a name replaces the least recently used one at its second use, which a name invented for one request never reaches. */
  #boundedName(name = ''): string {
    if (!this.#names.delete(name) && this.#names.size === maxNames) {
      if (!this.#waiting.delete(name)) {
        if (this.#waiting.size === maxNames) removeFirst(this.#waiting);
        this.#waiting.add(name);
        return '_OTHER';
      }
      removeFirst(this.#names);
    }
    this.#names.add(name);
    return name;
  }
}

function removeFirst(names: Set<string>): void {
  for (const name of names) {
    names.delete(name);
    return;
  }
}

/** The error's `extensions.code`; INTERNAL_SERVER_ERROR where it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { extensions?: { code?: unknown } }).extensions?.code;
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}
