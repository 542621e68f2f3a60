import type { LandingPage, ServerPlugin } from '../../operation/plugin.ts';

/** The settings of the page for browsers. */
export interface LandingPageOptions {
  /** true: GraphiQL, served from this package. false: a small page with the endpoint's address. Default: true on Node, false elsewhere. */
  readonly embedded?: boolean;
}

/**
 * The page that a browser gets in development. It is there by default; name it in `plugins` to choose another form, or
 * on platforms without Node, where the server cannot find it by itself.
 *
 * @example
 * ```ts
 * createHandler({ typeDefs, resolvers, plugins: [landingPage({ embedded: false })] });
 * ```
 */
export function landingPage(options: LandingPageOptions = {}): ServerPlugin {
  return { serverWillStart: () => ({ renderLandingPage: () => renderLandingPage(options) }) };
}

/** Only here, when a browser asks for it in development, does the page's own code load. */
async function renderLandingPage({ embedded = true }: LandingPageOptions): Promise<LandingPage> {
  const { createPage } = await import('./html.ts');
  return createPage({ embedded });
}
