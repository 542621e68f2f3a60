import { cacheControlDefinitions, cloudflarePurge, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';

const typeDefs = `
  type Query { product(id: ID!): Product @cacheControl(maxAge: 60) me: String @cacheControl(maxAge: 60) }
  type Product { id: ID! } type Mutation { change(id: ID!): Product }`;

/** A replacement for the context of a worker with caching, which this runtime lacks outside the vendor's network. */
const purged: string[] = [];
const cache = {
  purge: async ({ tags }: { tags: string[] }): Promise<unknown> =>
    tags.includes('e:Product:stuck') ? new Promise(() => undefined) : purged.push(...tags),
};

const handler = createHandler({
  csrfPrevention: true,
  typeDefs: [cacheControlDefinitions, typeDefs],
  context: ({ request }) => ({ user: () => request.headers.get('authorization') }),
  resolvers: {
    Query: {
      product: (_: unknown, { id }: { id: string }) => ({ id }),
      me: (_: unknown, __: unknown, { user }: { user: () => string | null }) => user(),
    },
    Mutation: { change: (_: unknown, { id }: { id: string }) => ({ id }) },
  },
  plugins: [edge({ cdn: 'cloudflare', purge: cloudflarePurge() })],
});

export default {
  async fetch(request: Request, env: unknown, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    if (new URL(request.url).pathname === '/purged') return Response.json(purged);
    return handler.fetch(request, env, { cache, waitUntil: (work: Promise<unknown>) => context.waitUntil(work) });
  },
};
