export { inlineTraces } from './inline-traces.ts';
export type { InlineTraceOptions, InlineTraces } from './inline-traces.ts';
export { federationNames } from './links.ts';
export type { RouterSecret } from './router-secret.ts';
export { subgraph } from './subgraph.ts';
export type { SubgraphOptions, SubgraphServerOptions, SubgraphSettings } from './subgraph.ts';
