import { createHandler } from 'graphql-functions';

import { probe } from './probe.ts';

const { fetch } = createHandler(probe);

export default { fetch };
