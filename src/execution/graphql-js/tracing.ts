import { isGraphQL17 } from './installed.ts';

/** The part of node:diagnostics_channel that is used here. */
interface TracingChannel {
  readonly hasSubscribers: boolean | undefined;
}

/** What graphql-js 17 tells of its work, and of which we take over a part. */
type ChannelName = 'graphql:validate' | ExecutionChannelName;
type ExecutionChannelName = (typeof executionChannels)[number];

const executionChannels = [
  'graphql:execute',
  'graphql:execute:variableCoercion',
  'graphql:execute:rootSelectionSet',
  'graphql:resolve',
] as const;

/** Whether somebody listens to graphql-js at execution. They want its events, one per field and in its order: then it has to run the operation. */
export function isTraced(): boolean {
  if (!isGraphQL17) return false;
  // Found once: this is asked before every execution.
  traced ??= executionChannels.map(findChannel);
  for (const channel of traced) if (channel?.hasSubscribers === true) return true;
  return false;
}

let traced: readonly (TracingChannel | undefined)[] | undefined;

/** Whether somebody listens on a channel of graphql-js. graphql 16 has none. */
export function isListenedTo(name: ChannelName): boolean {
  return isGraphQL17 && findChannel(name)?.hasSubscribers === true;
}

/** Undefined where there is no Node to ask. */
function findChannel(name: ChannelName): TracingChannel | undefined {
  try {
    const { tracingChannel } = globalThis.process.getBuiltinModule('node:diagnostics_channel');
    return tracingChannel(name) as unknown as TracingChannel;
  } catch {
    return undefined;
  }
}
