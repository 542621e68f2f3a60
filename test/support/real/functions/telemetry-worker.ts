import { createHandler } from 'graphql-functions/fetch';

import { told } from './telemetry.ts';

const { fetch } = createHandler(told);

export default { fetch };
