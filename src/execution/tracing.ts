import { isGraphQL17 } from './installed.ts';

/** The part of node:diagnostics_channel that is used here. */
interface TracingChannel {
  readonly hasSubscribers: boolean | undefined;
}

/**
 * The channels that graphql-js 17 tells of an execution on. Who listens wants its events, one per field and in its
 * order: then graphql-js runs the operation.
 */
const channelNames = ['graphql:execute', 'graphql:execute:variableCoercion', 'graphql:execute:rootSelectionSet', 'graphql:resolve'];

let channels: readonly TracingChannel[] | undefined;

/** Whether somebody listens to graphql-js at work. */
export function isTraced(): boolean {
  if (!isGraphQL17) return false;
  channels ??= findChannels();
  return channels.some((channel) => channel.hasSubscribers === true);
}

/** None where there is no Node to ask. */
function findChannels(): readonly TracingChannel[] {
  try {
    const { tracingChannel } = globalThis.process.getBuiltinModule('node:diagnostics_channel');
    return channelNames.map((name) => tracingChannel(name) as unknown as TracingChannel);
  } catch {
    return [];
  }
}
