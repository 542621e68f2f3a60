import { createHandler } from '../../../../src/entries/fetch.ts';
import { budget } from '../../../../src/entries/budget.ts';
import { durableObjectStore, idempotency } from '../../../../src/entries/idempotency.ts';
import type { DurableObjectBinding } from '../../../../src/entries/idempotency.ts';

export { IdempotencyRecord } from '../../../../src/entries/idempotency.ts';

interface Env {
  readonly IDEMPOTENCY: DurableObjectBinding;
}

let charges = 0;
let handler: ((request: Request, env: Env, context: object) => Promise<Response>) | undefined;

export default {
  fetch: (request: Request, env: Env, context: object): Promise<Response> => {
    handler ??= createHandler({
      typeDefs: 'type Query { charges: Int } type Mutation { charge: Int }',
      resolvers: { Query: { charges: () => charges }, Mutation: { charge: () => ++charges } },
      plugins: [
        idempotency({ store: durableObjectStore(env.IDEMPOTENCY), identity: () => 'everyone' }),
        budget({
          store: durableObjectStore(env.IDEMPOTENCY),
          identity: () => undefined,
          capacity: 2,
          refillPerSecond: 0.001,
          anonymous: { capacity: 2, refillPerSecond: 0.001 },
          whenStoreFails: 'refuse',
          storeTimeout: 10_000,
        }),
      ],
    }).fetch as unknown as typeof handler;
    return handler!(request, env, context);
  },
};
