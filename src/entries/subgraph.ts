export { inlineTraces, subgraph } from '../extensions/subgraph/index.ts';
export type {
  InlineTraceOptions,
  InlineTraces,
  RouterSecret,
  SubgraphOptions,
  SubgraphServerOptions,
  SubgraphSettings,
} from '../extensions/subgraph/index.ts';
export type { ServerPlugin } from '../server/index.ts';
