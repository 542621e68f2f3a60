export { DataSource } from '../extensions/v3/types.ts';
export type { DataSourceConfig } from '../extensions/v3/types.ts';
export type { KeyValueCache } from '../cache.ts';
