export { landingPage } from './landing-page/plugin.ts';
export type { LandingPageOptions } from './landing-page/plugin.ts';
