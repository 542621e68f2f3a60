export { playground } from '../tools/landing-page/index.ts';
export type { PackedPlayground } from '../tools/landing-page/index.ts';
