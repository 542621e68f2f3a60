export { subgraph } from '../extensions/subgraph/index.ts';
export type { RouterSecret, SubgraphOptions, SubgraphSettings } from '../extensions/subgraph/index.ts';
