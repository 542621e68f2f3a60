import type { Logger } from '../operation/logger.ts';
import type { ServerPlugin } from '../operation/plugin.ts';
import { requireOwn } from './own-package.ts';

type CheckPlugins = (plugins: readonly ServerPlugin[], logger: Logger) => readonly ServerPlugin[];

/** The same plugins, with a warning of each hook whose name is misspelt: for development. As they are where what looks at them cannot be found. */
export function watchPlugins(plugins: readonly ServerPlugin[], logger: Logger): readonly ServerPlugin[] {
  try {
    return (requireOwn('plugin-check') as { checkPlugins: CheckPlugins }).checkPlugins(plugins, logger);
  } catch {
    return plugins;
  }
}
