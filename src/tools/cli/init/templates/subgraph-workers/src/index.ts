import type { ServerOptions } from 'graphql-functions';
import { createHandler } from 'graphql-functions/fetch';
import { landingPage } from 'graphql-functions/landing-page';

import { options } from '../graphql/options.ts';

// Wrangler replaces this expression with "development" or "production", because Workers have no NODE_ENV. The deployed worker has
// no playground.
const playground =
  process.env.NODE_ENV === 'development' ? [landingPage({ playground: () => import('graphql-functions/playground') })] : [];

const { plugins = [] }: ServerOptions = options;

const { fetch } = createHandler({ ...options, nodeEnv: process.env.NODE_ENV, plugins: [...plugins, ...playground] });

// The export is an object, because Workers treat an exported function as a class.
export default { fetch };
