import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { nameOfNonHTTPEvent } from './not-http.ts';
import { unknownEvent } from './unknown-event.ts';

/**
 * The adapter for an event: the first of the list that recognises it. An event that nobody recognises gets an adapter
 * that answers 400. Throws for a known event that does not speak HTTP.
 */
export function findAdapter(adapters: readonly PlatformAdapter<never>[], event: unknown): PlatformAdapter<unknown> {
  if (typeof event !== 'object' || event === null) return unknownEvent(event, adapters);
  const foreign = nameOfNonHTTPEvent(event);
  if (foreign !== undefined) {
    throw new Error(
      `Expected an event that carries an HTTP request, got one of ${foreign}. Give it a function of its own: this one serves GraphQL over HTTP.`,
    );
  }
  if (Array.isArray(event)) return unknownEvent(event, adapters);
  const adapter = adapters.find(({ recognises }) => recognises(event as UnknownEvent));
  return (adapter as PlatformAdapter<unknown> | undefined) ?? unknownEvent(event, adapters);
}
