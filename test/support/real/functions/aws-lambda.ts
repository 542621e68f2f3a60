import { createHandler } from 'graphql-functions/aws-lambda';

import { probe } from './probe.ts';

export default createHandler(probe);
