import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';

import type { OperationOutcome } from '../../server/index.ts';

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

  /** Records an operation that has ended. `error` is its first error. */
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

  /** Names that are invented for one request do not use up the second half. */
  #boundedName(name = ''): string {
    if (name === '' || this.#names.has(name)) return name;
    if (this.#names.size === maxNames) return other;
    if (this.#names.size >= firstNames && !this.#waiting.delete(name)) {
      if (this.#waiting.size === maxWaiting) removeFirst(this.#waiting);
      this.#waiting.add(name);
      return other;
    }
    this.#names.add(name);
    return name;
  }
}

const other = '_OTHER';

function removeFirst(names: Set<string>): void {
  for (const name of names) {
    names.delete(name);
    return;
  }
}

/** The error's `extensions.code`, or INTERNAL_SERVER_ERROR without a code. */
export function codeOf(error: unknown): string {
  const code = (error as { extensions?: { code?: unknown } }).extensions?.code;
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}
