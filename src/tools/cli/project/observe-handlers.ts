import type { HandlerObserver } from '../../../server/for-tools.ts';

/** The name in src/server/handler-observer.ts. */
const mark = Symbol.for('graphql-functions.observer');

/** Observes every handler that is created from now on in this process, also by other copies of this package. */
export function observeHandlers(observer: HandlerObserver): void {
  Object.assign(globalThis, { [mark]: observer });
}
