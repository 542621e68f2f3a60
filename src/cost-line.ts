export { costLine } from './extensions/cost-line/plugin.ts';
export type { CostLineOptions } from './extensions/cost-line/plugin.ts';
export type { CostRecord } from './extensions/cost-line/record.ts';
