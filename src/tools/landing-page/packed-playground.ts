import { readPlayground } from './playground-files.ts';
import type { PackedPlayground } from './playground-files.ts';

export type { PackedPlayground } from './playground-files.ts';

/**
 * The playground as text, for platforms without a file system, such as Cloudflare Workers: 2.4 MB. Import it only in development. The build writes the text into the ES module.
 *
 * @example
 * ```ts
 * plugins: process.env.NODE_ENV === 'development' ? [landingPage({ playground: () => import('graphql-functions/playground') })] : []
 * ```
 */
export const playground: PackedPlayground = readPlayground()!;
