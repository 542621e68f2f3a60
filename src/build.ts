export { readBuild } from './schema/read-build.ts';
export type { OpenedBuild, SchemaBuild, SchemaBuildUse } from './schema/schema-build.ts';
