import { createHandler } from 'graphql-functions/fetch';

import { options } from '../../../graphql/options.ts';

const handler = createHandler(options);

export { handler as GET, handler as POST, handler as OPTIONS };
