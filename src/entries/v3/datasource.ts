export { DataSource } from '../../v3/types.ts';
export type { DataSourceConfig } from '../../v3/types.ts';
export type { KeyValueCache } from '../cache.ts';
