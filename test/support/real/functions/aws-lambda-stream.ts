import { createStreamingHandler } from 'graphql-functions/aws-lambda';

import { probe } from './probe.ts';

export default createStreamingHandler(probe);
