export { playground } from '../tools/landing-page/packed-playground.ts';
export type { PackedPlayground } from '../tools/landing-page/packed-playground.ts';
