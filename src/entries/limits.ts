export { costOf, limits } from '../extensions/limits/index.ts';
export type { LimitsOptions, PageLimitOptions, PageSizes } from '../extensions/limits/index.ts';
export type { ServerPlugin } from '../server/index.ts';
