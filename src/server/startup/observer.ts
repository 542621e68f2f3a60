import type { ServerOptions } from './options.ts';
import type { OptionsSource } from './start.ts';

/** Creates a handler from options. Throws if they are invalid. */
export type CreateFromOptions<THandler> = (options: OptionsSource<ServerOptions>) => THandler;

/** Gets each new handler's options and the function that creates it; returns the handler to use. */
export type HandlerObserver = <THandler>(create: CreateFromOptions<THandler>, options: OptionsSource<ServerOptions>) => THandler;

/** On the global object, because a bundled function has a copy of this module for itself. */
const mark = Symbol.for('graphql-functions.observer');

/**
 * Creates a handler, through the observer if there is one: `dev` logs operations, `check` reads the options, and `build` warms up the
 * code cache. In production no observer is set: this adds 60 bytes to a bundle, the code of the tools adds none, and they bundle the user's
 * code unchanged.
 */
export function createObserved<THandler>(create: CreateFromOptions<THandler>, options: OptionsSource<ServerOptions>): THandler {
  const observer = (globalThis as { [mark]?: HandlerObserver })[mark];
  return observer === undefined ? create(options) : observer(create, options);
}
