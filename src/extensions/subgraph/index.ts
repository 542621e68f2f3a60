export type { RouterSecret } from './router-secret.ts';
export { subgraph } from './subgraph.ts';
export type { SubgraphOptions, SubgraphSettings } from './subgraph.ts';
