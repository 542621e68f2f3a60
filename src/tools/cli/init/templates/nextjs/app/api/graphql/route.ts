import { createHandler } from 'graphql-functions/fetch';

import { resolvers } from '../../../graphql/resolvers.ts';
import { typeDefs } from '../../../graphql/schema.ts';

const handler = createHandler({ csrfPrevention: true, typeDefs, resolvers });

export { handler as GET, handler as POST, handler as OPTIONS };
