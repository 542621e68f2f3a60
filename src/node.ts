export { createListener } from './node/listener.ts';
export type { NodeListener } from './node/listener.ts';
export { serve } from './node/serve.ts';
export type { ListenOptions, RunningServer } from './node/serve.ts';
export type { NodeExchange } from './platform/node.ts';
