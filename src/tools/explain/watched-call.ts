import type {
  CallWatch,
  DataSourceRequest,
  EntryUse,
  Milliseconds,
  NotStored,
  StorageCase,
  StorageTerms,
  StoredResponse,
} from '../../datasources/index.ts';
import type { CacheLayer } from './report.ts';

/** One call of a data source, and the decisions about it so far. */
export class WatchedCall implements CallWatch {
  readonly source: object;
  readonly request: DataSourceRequest;
  /** The path of the field whose resolver made the call. */
  readonly field: string | undefined;
  readonly start: Milliseconds;
  end: Milliseconds | undefined;
  entry: StoredResponse | undefined;
  use: EntryUse | undefined;
  /** When the entry was found, by the data source's clock. */
  foundAt: Milliseconds = 0;
  otherEntry: StoredResponse | undefined;
  tries = 0;
  originStatus: number | undefined;
  /** The decision whether to store the response, and its basis. Undefined without a response. */
  judgement: { readonly storage: StorageCase; readonly terms: StorageTerms | NotStored } | undefined;
  error: unknown;

  constructor(source: object, request: DataSourceRequest, field: string | undefined) {
    this.source = source;
    this.request = request;
    this.field = field;
    this.start = performance.now();
  }

  found(entry: StoredResponse, use: EntryUse, now: Milliseconds): void {
    this.entry = entry;
    this.use = use;
    this.foundAt = now;
  }

  passedOver(entry: StoredResponse): void {
    this.otherEntry = entry;
  }

  sent(): void {
    // Refreshing a stored response in the background does not count as a try of this call.
    if (this.use !== 'stale-while-revalidate') this.tries++;
  }

  aroundSend<T>(send: () => T): T {
    return send();
  }

  answered(status: number): void {
    this.originStatus = status;
  }

  judged(storage: StorageCase, terms: StorageTerms | NotStored): void {
    this.judgement = { storage, terms };
  }

  ended(error?: unknown): void {
    this.end = performance.now();
    this.error = error;
  }

  get layer(): CacheLayer {
    const { outcome, method } = this.request;
    if (outcome !== undefined) return outcome;
    if (this.tries === 0) return 'none';
    return method === 'GET' ? 'miss' : 'bypass';
  }

  /** The status of the response that the call received; after a 304, the status of the stored response. */
  get status(): number | undefined {
    const isStored = ['fresh', 'stale', 'revalidated'].includes(this.layer);
    return isStored ? this.entry?.head.status : this.originStatus;
  }
}
