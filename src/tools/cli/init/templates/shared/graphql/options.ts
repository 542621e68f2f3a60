import type { ServerOptions } from 'graphql-functions';
import { limits } from 'graphql-functions/limits';

import documents from '../documents/documents.json' with { type: 'json' };
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { typeDefs } from './schema.ts';

export const options = {
  // Clients can run only the documents of operations/. In development, all others run, too.
  trustedDocuments: { documents, only: true },
  csrfPrevention: true,
  // A list has 20 items if the client does not say how many, and at most 100.
  plugins: [limits({ pageLimits: { default: 20, max: 100 } })],
  context: ({ request }): Context => ({ language: request.headers.get('accept-language')?.slice(0, 2) ?? 'en' }),
  typeDefs,
  resolvers,
} satisfies ServerOptions;
