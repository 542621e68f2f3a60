import { createHandler } from 'graphql-functions/fetch';

import { options } from '../graphql/options.ts';

// The same server as in server.ts, for the commands of graphql-functions, such as check.
export default createHandler(options);
