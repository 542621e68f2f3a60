export { landingPage, renderLandingPage } from './plugin.ts';
export type { LandingPageOptions } from './plugin.ts';
