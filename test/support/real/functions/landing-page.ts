import { createHandler } from 'graphql-functions/fetch';
import { landingPage } from 'graphql-functions/landing-page';

import { probe } from './probe.ts';

const { fetch } = createHandler({ ...probe, nodeEnv: 'development', plugins: [landingPage()] });

export default { fetch };
