export { costLine } from './plugin.ts';
export type { CostLineOptions } from './plugin.ts';
export type { CostRecord } from './record.ts';
