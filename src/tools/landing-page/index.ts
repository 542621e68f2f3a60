export { findPlayground, playgroundMark, playgroundPath } from './playground-files.ts';
export { playground } from './packed-playground.ts';
export type { PackedPlayground } from './playground-files.ts';
export { createInspector, landingPage } from './plugin.ts';
export type { LandingPageOptions } from './plugin.ts';
