import './environment.ts';

import { serve } from '@hono/node-server';
import { Hono } from 'hono';

import handler from './functions/graphql.ts';

const app = new Hono();

// Also for the paths below, such as the health check at /graphql/health.
app.all('/graphql/*', (c) => handler.fetch(c.req.raw));

const port = Number(process.env['PORT'] ?? 4000);
serve({ fetch: app.fetch, port }, () => console.log(`GraphQL at http://localhost:${port}/graphql`));
