export { landingPage } from '../tools/landing-page/index.ts';
export type { LandingPageOptions } from '../tools/landing-page/index.ts';
export type { ServerPlugin } from '../server/index.ts';
