export { readBuild } from './schema/build/read-build.ts';
export type { SchemaBuild } from './schema/build/read-build.ts';
