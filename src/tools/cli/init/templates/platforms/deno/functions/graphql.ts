import '../environment.ts';

import { createHandler } from 'graphql-functions/fetch';

import { options } from '../graphql/options.ts';

export default createHandler(options);
