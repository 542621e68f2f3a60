import type { ChunkStream } from '../../../../shared/index.ts';
import type { PayloadOutcome, PayloadStream, SubsequentPayload } from '../../../operation/types.ts';

/** How a body of several parts is written. */
export interface StreamFormat {
  /** The media type. */
  readonly type: string;
  readonly opening: string;
  /** A result as a part. JSON has no line breaks. */
  readonly part: (json: string) => string;
  /** The end of the stream. Without it, clients take the end of the body for a broken connection. */
  readonly closing: string;
  /** A text that is sent first, and after each interval without a part. Default: none */
  readonly heartbeat?: string;
}

/**
 * Server-sent events, in the distinct connections mode of the GraphQL over SSE protocol: one stream for each operation, one event for each
 * result and one for the end. Clients skip the heartbeat, which is a comment (HTML standard, section 9.2.5).
 */
export const eventFormat: StreamFormat = {
  type: 'text/event-stream; charset=utf-8',
  opening: '',
  part: (json) => `event: next\ndata: ${json}\n\n`,
  closing: 'event: complete\ndata: \n\n',
  heartbeat: ':\n\n',
};

/**
 * Milliseconds without a part before a heartbeat is sent. Load balancers and proxies close a connection after 30 to 60 s without a byte, and
 * only a write notices that a client has disconnected.
 */
const heartbeatInterval = 12_000;

/** How payloads are written, and callbacks for the end of the stream. */
export interface PayloadWriting {
  /** The JSON of the first part; undefined if the first part is a payload. */
  readonly first?: string | undefined;
  /**
   * Writes a payload as JSON. Returns undefined if the payload cannot be sent: then a payload that ends the stream takes its place. Must
   * not throw.
   */
  readonly toJSON: (payload: SubsequentPayload) => string | undefined;
  /** Called when the last chunk has been read. */
  readonly onEnd: () => void;
  /** Called if the client disconnects before the last chunk. */
  readonly onLeave: () => void;
  /** Ends the payloads, because the process is about to end. */
  readonly onStop: () => void;
}

interface Writing {
  isOver: boolean;
  /** The payload that has been read and not been written. */
  arrived: IteratorResult<PayloadOutcome> | undefined;
  /** Ends the wait for the next payload. */
  wake: (() => void) | undefined;
}

/** Payloads → the chunks of a body. Reads one payload at a time, on demand. */
export function payloadChunks(payloads: PayloadStream, format: StreamFormat, writing: PayloadWriting): ChunkStream {
  const { opening, part, closing, heartbeat = '' } = format;
  const { first, toJSON, onEnd, onLeave, onStop } = writing;
  const state: Writing = { isOver: false, arrived: undefined, wake: undefined };

  const pull = async (): Promise<void> => {
    state.arrived = await payloads.next();
    state.wake?.();
  };
  const end = (): void => {
    state.isOver = true;
    void payloads.return();
  };
  // A promise for each wait: one that lives as long as the stream, in a race with each heartbeat, would keep all reactions.
  const wait = async (): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      state.wake = resolve;
      if (heartbeat !== '') timer = setTimeout(resolve, heartbeatInterval);
    });
    clearTimeout(timer);
  };
  async function* write(): AsyncGenerator<string, undefined> {
    // Sends the beginning at once, because some clients and proxies wait for the first byte.
    yield heartbeat + opening + (first === undefined ? '' : part(first));
    while (!state.isOver) {
      state.arrived = undefined;
      void pull();
      while (state.arrived === undefined) {
        await wait();
        if (state.isOver) return;
        if (state.arrived === undefined) yield heartbeat;
      }
      const { done, value } = state.arrived as IteratorResult<PayloadOutcome>;
      const json = done === true ? undefined : toJSON(value.result);
      if (done !== true && json === undefined) continue;
      const isLast = done === true || value.result.hasNext === false;
      if (isLast) {
        end();
        onEnd();
      }
      yield (json === undefined ? '' : part(json)) + (isLast ? closing : '');
    }
  }

  const chunks = write();
  const stream: ChunkStream = {
    [Symbol.asyncIterator]: () => stream,
    next: () => chunks.next(),
    return: () => {
      if (!state.isOver) {
        onLeave();
        end();
        state.wake?.();
      }
      return chunks.return(undefined);
    },
    stop: onStop,
  };
  return stream;
}
