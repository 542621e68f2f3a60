export { costOf, limits } from './plugin.ts';
export type { LimitsOptions } from './options.ts';
export type { PageLimitOptions, PageSizes } from './page-limits.ts';
