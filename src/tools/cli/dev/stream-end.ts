import { followStream } from '../../../server/for-tools.ts';
import type { PayloadStream } from '../../../server/index.ts';

/** The same stream; calls `onEnd` once, however it ends. */
export function withEnd(stream: PayloadStream, onEnd: () => void): PayloadStream {
  return followStream(stream, { onErrors: () => {}, onEnd });
}
