export { createListener } from './node/listener.ts';
export type { NodeListener } from './node/listener.ts';
export type { ListenOptions } from './node/listen-options.ts';
export { serve } from './node/serve.ts';
export type { RunningServer } from './node/serve.ts';
export type { NodeExchange } from './platform/node.ts';
