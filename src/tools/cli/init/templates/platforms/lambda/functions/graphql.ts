import { createHandler } from 'graphql-functions/aws-lambda';

import { options } from '../graphql/options.ts';

export default createHandler(options);
