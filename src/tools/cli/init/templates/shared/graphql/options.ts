import type { ServerOptions } from 'graphql-functions';
import { limits } from 'graphql-functions/limits';
import { rest } from 'graphql-functions/rest';

import documents from '../documents/documents.json' with { type: 'json' };
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { typeDefs } from './schema.ts';

export const options = {
  // Clients can run only the documents of operations/. In development, all others run, too.
  trustedDocuments: { documents, only: true },
  csrfPrevention: true,
  plugins: [
    // A list has 20 items if the client does not say how many, and at most 100.
    limits({ pageLimits: { default: 20, max: 100 } }),
    // Documents with @http have a URL, too: operations/rest.graphql.
    rest({ info: { title: 'Books', version: '1' } }),
  ],
  context: ({ request }): Context => ({ language: request.headers.get('accept-language')?.slice(0, 2) ?? 'en' }),
  typeDefs,
  resolvers,
} satisfies ServerOptions;
