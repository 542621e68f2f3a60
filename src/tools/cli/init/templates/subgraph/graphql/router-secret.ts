import type { RouterSecret } from 'graphql-functions/subgraph';

// `npm run check` runs with NODE_ENV=test and serves no requests, so a random secret is enough.
const secret = process.env.ROUTER_SECRET ?? (process.env.NODE_ENV === 'test' ? crypto.randomUUID() : '');

/**
 * Only the router may call this subgraph, which answers with any entity by its key. Without the variable ROUTER_SECRET, the server
 * does not start, except in development: there, the playground may call it. ROUTER.md says how to set it.
 */
export const routerSecret: RouterSecret | undefined =
  process.env.NODE_ENV === 'development' && secret === '' ? undefined : { secrets: () => [secret] };
