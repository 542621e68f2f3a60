export { browsableHost, isLocalHost } from './hosts.ts';
export type { ListenOptions } from './listen-options.ts';
export { createListener } from './listener.ts';
export type { NodeListener } from './listener.ts';
export { isForeign, stackOf, withUserFrames } from './user-frames.ts';
export { serve } from './serve.ts';
export type { RunningServer } from './serve.ts';
