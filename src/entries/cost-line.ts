export { costLine } from '../extensions/cost-line/index.ts';
export type { CostLineOptions, CostRecord } from '../extensions/cost-line/index.ts';
export type { ServerPlugin } from '../server/index.ts';
