export { landingPage } from './development/landing-page/plugin.ts';
export type { LandingPageOptions } from './development/landing-page/plugin.ts';
