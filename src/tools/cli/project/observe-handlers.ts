import type { HandlerObserver } from '../../../server/for-tools.ts';

/** The name in src/server/handler-observer.ts. Not imported: the server with graphql adds 110 ms to the start of each thread of `dev`. */
const mark = Symbol.for('graphql-functions.observer');

/** Observes every handler that is created from now on in this thread, also by copies of this package in bundles. */
export function observeHandlers(observer: HandlerObserver): void {
  Object.assign(globalThis, { [mark]: observer });
}
