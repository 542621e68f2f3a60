import { createHandler } from 'graphql-functions/fetch';
import { landingPage } from 'graphql-functions/landing-page';

import { probe } from './probe.ts';

// The template for Workers has the same expression, which bundlers replace.
const plugins =
  process.env['NODE_ENV'] === 'development' ? [landingPage({ playground: () => import('graphql-functions/playground') })] : [];

const { fetch } = createHandler({ ...probe, nodeEnv: process.env['NODE_ENV'] ?? 'production', plugins });

export default { fetch };
