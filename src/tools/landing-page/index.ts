export { playground } from './packed-playground.ts';
export type { PackedPlayground } from './playground-files.ts';
export { landingPage } from './plugin.ts';
export type { LandingPageOptions } from './plugin.ts';
