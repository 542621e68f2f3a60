export { browsableHost, createListener, isLocalHost, isLoopback } from './listener.ts';
export type { ListenOptions, NodeListener } from './listener.ts';
export { isForeign, stackOf, withUserFrames } from './serve.ts';
export { serve } from './serve.ts';
export type { RunningServer } from './serve.ts';
