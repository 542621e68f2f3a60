import { createHandler } from 'graphql-functions/netlify';

import { options } from '../graphql/options.ts';

export default createHandler(options);
