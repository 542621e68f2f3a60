import { tracingChannel } from 'node:diagnostics_channel';
import type { ChannelListener } from 'node:diagnostics_channel';
import { isMemo } from './compare-coercion.ts';

const names = ['graphql:execute', 'graphql:resolve'] as const;
const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** Subscribes to the channels of an execution, and records all events. */
export function recordChannelEvents(): { readonly events: string[]; stop(): void } {
  const events: string[] = [];
  const listeners = names.flatMap((name) =>
    phases.map((phase) => {
      const listener: ChannelListener = (context) => void events.push(`${name} ${phase} ${describe(context as object)}`);
      const channel = tracingChannel(name)[phase];
      channel.subscribe(listener);
      return () => channel.unsubscribe(listener);
    }),
  );
  return { events, stop: () => listeners.forEach((stop) => stop()) };
}

function describe(context: object): string {
  const told: Record<string, unknown> = {};
  for (const key of Object.keys(context).toSorted()) {
    const value = (context as Record<string, unknown>)[key];
    told[key] = key === 'schema' || key === 'document' || key === 'operation' ? typeof value : key === 'error' ? String(value) : value;
  }
  return JSON.stringify(told, (key, value: unknown) => {
    if (isMemo(key)) return undefined;
    return typeof value === 'bigint' || typeof value === 'function' ? String(value) : value;
  });
}
