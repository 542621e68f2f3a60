import { AsyncLocalStorage } from 'node:async_hooks';

import type { OperationRecord } from './messages.ts';

type SendRecord = (operations: readonly OperationRecord[], errors: readonly string[]) => void;

/** The operations and errors of a request until it is reported, and of a stream that ends afterwards. */
export class Recording {
  readonly errors: string[] = [];
  readonly #ended: OperationRecord[] = [];
  readonly #opened: OperationRecord[] = [];
  #send: SendRecord | undefined = undefined;

  /** A stream has begun; it is recorded again when it ends. */
  opened(record: OperationRecord): void {
    this.#opened.push(record);
  }

  ended(record: OperationRecord): void {
    if (this.#send === undefined) this.#ended.push(record);
    else this.#send([record], []);
  }

  report(sendRecord: SendRecord): void {
    this.#send = sendRecord;
    sendRecord(this.#ended.length > 0 ? this.#ended : this.#opened, this.errors);
  }
}

/** The recording of the request that is being answered. */
export const recordings: AsyncLocalStorage<Recording> = new AsyncLocalStorage();
