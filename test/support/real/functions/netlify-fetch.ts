import { createHandler } from 'graphql-functions/netlify';

import { probe } from './probe.ts';

const handler = createHandler(probe as unknown as Parameters<typeof createHandler>[0]);

// Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
export default { fetch: (request: Request, envOrInfo: object, context = envOrInfo) => handler(request, context as never) };
