import type { HandlerObserver } from '../../../server/for-tools.ts';
import type { OptionsSource, ServerOptions } from '../../../server/index.ts';
import type { Place } from '../../checks/for-cli.ts';
import { placeOf } from '../../checks/for-cli.ts';

/** The name in src/server/handler.ts. */
const mark = Symbol.for('graphql-functions.observer');

/** Observes every handler that is created from now on in this process, also by other copies of this package. */
export function observeHandlers(observer: HandlerObserver): void {
  Object.assign(globalThis, { [mark]: observer });
}

/** A call of createHandler. */
export interface RecordedServer {
  readonly source: OptionsSource<ServerOptions>;
  /** The place of the call, if it is known. */
  readonly place: Place | undefined;
}

/** Records every handler that functions create from now on in this process, in order. Refused options do not end the function. */
export function recordServers(): readonly RecordedServer[] {
  const servers: RecordedServer[] = [];
  observeHandlers((create, source) => {
    servers.push({ source, place: placeOf(new Error('called from')) });
    try {
      return create(source);
    } catch {
      return (() => {}) as ReturnType<typeof create>;
    }
  });
  return servers;
}
