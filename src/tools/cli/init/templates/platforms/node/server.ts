import './environment.ts';

import { serve } from 'graphql-functions/node';

import { options } from './graphql/options.ts';

const port = Number(process.env['PORT'] ?? 4000);
const { url } = await serve(options, { port });

console.log(`GraphQL at ${url}`);
