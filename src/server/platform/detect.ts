import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { nameOfNonHTTPEvent } from './not-http.ts';
import type { HTTPResponse } from '../../shared/index.ts';
import { malformedEvent } from './event-fields.ts';
import { bodyOf } from './result-body.ts';

/** The first adapter that recognizes the event, else one that answers 400. Throws for an event of a known source other than HTTP. */
export function findAdapter(adapters: readonly PlatformAdapter<never>[], event: unknown): PlatformAdapter<unknown> {
  if (typeof event !== 'object' || event === null) return unknownEvent(event, adapters);
  if (!Array.isArray(event)) {
    for (const adapter of adapters) if (adapter.recognizes(event as UnknownEvent)) return adapter as PlatformAdapter<unknown>;
  }
  const foreign = nameOfNonHTTPEvent(event);
  if (foreign !== undefined) {
    throw new Error(
      `Expected an event that carries an HTTP request, got one of ${foreign}. Use another function for it: this one serves GraphQL over HTTP.`,
    );
  }
  return unknownEvent(event, adapters);
}

/** Answers an unknown event with a 400 in the most common form of results. Its message names the event's keys and the known sources. */
function unknownEvent(event: unknown, known: readonly PlatformAdapter<never>[]): PlatformAdapter<unknown> {
  const names = known.map(({ name }) => name);
  // Only these events are often written by hand.
  const hint = names.includes('direct invocation') ? ' A direct invocation has a key called query: { "query": "{ … }" }.' : '';
  const message = `Expected an event of ${names.join(', ')}; got ${keysSeen(event)}.${hint}`;
  return {
    name: 'unknown event',
    recognizes: () => true,
    toRequest: () => {
      throw malformedEvent(message);
    },
    toResult: (response: HTTPResponse) => ({ statusCode: response.status, headers: response.headers.toRecord(), ...bodyOf(response) }),
    // Logged, because nothing reads the result of an asynchronous invocation. Only platforms can send such events, so the log stays small.
    losses: () => message,
  };
}

/** The keys of the event, without values, which may be secrets. */
function keysSeen(event: unknown): string {
  if (event === null || event === undefined) return String(event);
  if (typeof event !== 'object') return `a ${typeof event}`;
  if (Array.isArray(event)) return `an array of ${event.length}`;
  const keys = Object.keys(event);
  const shown = keys.slice(0, 20).map((key) => key.slice(0, 40));
  return `an object with the keys ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`;
}
