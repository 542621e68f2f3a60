export { createListener, serve } from '../server/node/index.ts';
export type { ListenOptions, NodeListener, RunningServer } from '../server/node/index.ts';
export type { Closable, NodeExchange } from '../server/index.ts';
