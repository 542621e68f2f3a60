import type { PlatformAdapter, UnknownEvent } from './adapter.ts';

/**
 * The first adapter that recognizes the event. Throws for any other event: a result would acknowledge the messages of a queue, which
 * nobody has read. `expected`: the sources that the error names.
 */
export function findAdapter(
  adapters: readonly PlatformAdapter<never>[],
  event: unknown,
  expected: readonly PlatformAdapter<never>[] = adapters,
): PlatformAdapter<unknown> {
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) {
    for (const adapter of adapters) if (adapter.recognizes(event as UnknownEvent)) return adapter as PlatformAdapter<unknown>;
  }
  const names = expected.map(({ name }) => name);
  // Only these events are often written by hand.
  const hint = names.includes('direct invocation') ? ' A direct invocation has a key called query: { "query": "{ … }" }.' : '';
  throw new Error(`Expected an event of ${names.join(', ')}; got ${keysSeen(event)}.${hint}`);
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
