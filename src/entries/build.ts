export { readBuild } from '../executor/schema/index.ts';
export type { SchemaBuild } from '../executor/schema/index.ts';
