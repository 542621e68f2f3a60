export { readBuild } from './schema/read-build.ts';
export type { SchemaBuild } from './schema/schema-build.ts';
