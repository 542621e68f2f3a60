import type { LandingPage, ServerPlugin, ServerStartContext } from '../operation/plugin.ts';
import { requireOwn } from './own-package.ts';

type Render = () => LandingPage | undefined | Promise<LandingPage | undefined>;

/**
 * Renders the page that a server has in development when none of its plugins has one: `landingPage()`, which loads when
 * the first browser asks for it. Undefined where it cannot be found, as on platforms without Node.
 */
export function createDefaultPage(context: ServerStartContext): Render {
  let finding: Promise<Render> | undefined;
  return async () => (await (finding ??= findPage(context)))();
}

async function findPage(context: ServerStartContext): Promise<Render> {
  try {
    const { landingPage } = requireOwn('landing-page') as { landingPage: () => ServerPlugin };
    const listener = await landingPage().serverWillStart?.(context);
    return () => listener?.renderLandingPage?.();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    context.logger.warn(
      `There is no page for browsers: ${reason}. Put landingPage() of graphql-functions/landing-page into plugins, or set landingPage: false.`,
    );
    return () => undefined;
  }
}
