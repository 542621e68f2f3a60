export { DataSource } from '../extensions/v3/datasource/data-source.ts';
export type { DataSourceConfig } from '../extensions/v3/datasource/data-source.ts';
export type { KeyValueCache } from '../cache.ts';
