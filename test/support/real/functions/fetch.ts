import { createHandler } from 'graphql-functions/fetch';

import { probe } from './probe.ts';

const { fetch } = createHandler(probe);

export default { fetch };
