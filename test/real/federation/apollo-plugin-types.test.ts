import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { needs, pathInPart } from '../../support/real/parts.ts';
import { complaintsAbout } from '../../support/run-typescript.ts';

test(
  'createHandler takes plugins that are typed with @apollo/server, and still checks others',
  needs('federation-judges'),
  async (context) => {
    const complaints = await complaintsAbout(
      context,
      `import type { ApolloServerPlugin, BaseContext } from '${pathInPart('federation-judges', '@apollo/server/dist/esm/index.js')}';
    import { createHandler } from '../../src/entries/index.ts';
    import type { ServerPlugin } from '../../src/entries/index.ts';

    interface User extends BaseContext { name: string }
    const typed: ApolloServerPlugin<User> = {
      async requestDidStart({ contextValue }) {
        contextValue.name.trim();
        return {
          async willSendResponse({ metrics, response }) {
            if (metrics.persistedQueryHit) response.http.headers.set('x-hit', '1');
          },
        };
      },
    };
    const base: ApolloServerPlugin = {};
    const ours: ServerPlugin<{ admin: boolean }> = { requestDidStart: ({ contextValue }) => void (contextValue.admin satisfies boolean) };
    const typeDefs = 'type Query { a: Int }';
    const context = () => ({ name: 'Ada' });

    export const handler = createHandler({ typeDefs, context, plugins: [
      typed,
      base,
      { requestDidStart: ({ contextValue }) => (contextValue.name.trim(), { willSendResponse: ({ response }) => void response.result.data }) },
      { async request(call, next) { call.platform.trim(); return next(); } },
    ] });
    // @ts-expect-error A misspelled name.
    createHandler({ typeDefs, plugins: [{ requestDidStar() {} }] });
    // @ts-expect-error A field that the context of hooks has not.
    createHandler({ typeDefs, plugins: [{ requestDidStart({ nope }) {} }] });
    // @ts-expect-error A stage that is no function.
    createHandler({ typeDefs, plugins: [{ request: 5 }] });
    // @ts-expect-error A plugin for another context.
    createHandler({ typeDefs, context, plugins: [ours] });`,
    );

    deepEqual(complaints, []);
  },
);
