import { firstLineOf } from '../message/describe.ts';
import type { LandingPage, ServerPlugin, ServerStartContext } from '../operation/plugin.ts';
import { requireOwn } from './own-package.ts';
import type { DataSourceChecks } from '../operation/context.ts';
import type { ExplainSettings } from '../http/http-call.ts';
import type { Logger } from '../operation/types.ts';

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
    const reason = firstLineOf(error);
    context.logger.warn(
      `There is no page for browsers: ${reason}. Put landingPage() of graphql-functions/landing-page into plugins, or set landingPage: false.`,
    );
    return () => undefined;
  }
}

type Explain = NonNullable<ExplainSettings['explain']>;

/**
 * Explains the operations of requests that ask for it. What explains loads with the first of them: it is a tool for
 * development, and none of it is in a bundle. Where it cannot be found, operations run unexplained.
 */
export function createExplain(logger: Logger): Explain {
  let found: Explain | undefined;
  return (asked) => {
    if (asked.request.headers.get('graphql-functions-explain') !== '1') return undefined;
    return (found ??= findExplain(logger))(asked);
  };
}

function findExplain(logger: Logger): Explain {
  try {
    return (requireOwn('explain') as { explainOperation: Explain }).explainOperation;
  } catch (error) {
    logger.warn('Operations cannot be explained here.', error);
    return () => undefined;
  }
}

/** The checks of development beside production's own. */
export interface DevelopmentChecks extends DataSourceChecks {
  /** The same options, watched while they run. */
  watchOptions<TOptions extends object>(options: TOptions, logger: Logger): TOptions;
  warnOfOptions(options: object, schema: ServerStartContext['schema'], logger: Logger): void;
}

/** The checks of development. Undefined where they cannot be found, and where another version of the package is installed beside a bundle. */
export function findChecks(): DevelopmentChecks | undefined {
  try {
    const checks = requireOwn('checks') as Partial<DevelopmentChecks>;
    return checks.watchOptions && (checks as DevelopmentChecks);
  } catch {
    return undefined;
  }
}

type CheckWhole = (texts: readonly string[], resolvers: Readonly<Record<string, object>>) => void;

/**
 * Finds the checker of whole schemas, or says why it cannot. It is a development tool and adds nothing to a production
 * bundle. Next to a bundle it has a graphql of its own, which is why it takes text and resolvers, and returns nothing.
 */
export function findCheck(): CheckWhole | { readonly missing: string } {
  try {
    return (requireOwn('checks') as { checkWhole: CheckWhole }).checkWhole;
  } catch (error) {
    return { missing: firstLineOf(error) };
  }
}
