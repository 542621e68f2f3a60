import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { eventOf } from '../../../support/v3-server.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';
import { after } from '../../../support/stages.ts';

const fail = (): never => {
  throw new Error('The log is full.');
};
const failLater = async (): Promise<never> => fail();
/** Has a private member, like loggers that are classes. */
class ClassLogger {
  readonly #reason = 'full';
  child = 0;
  debug(): void {
    throw new Error(this.#reason);
  }
  info = this.debug;
  warn = this.debug;
  error = this.debug;
  reason(): string {
    return this.#reason;
  }
}

const loggers: Readonly<Record<string, object>> = {
  'that throws and is frozen': Object.freeze({ debug: fail, info: fail, warn: fail, error: fail }),
  'that is asynchronous, and rejects': { debug: failLater, info: failLater, warn: failLater, error: failLater },
  'that is of a class': new ClassLogger(),
};

const event = (query: string): object => eventOf({ body: { query } });

describe('a logger', () => {
  for (const [what, logger] of Object.entries(loggers)) {
    test(`${what} affects neither the response nor the process`, async (t) => {
      const printed = t.mock.method(console, 'error', () => undefined);
      const handler = createHandler({
        nodeEnv: '',
        logger,
        typeDefs: 'type Query { a: String fails: String } type Mutation { write: Item } type Item { id: ID! }',
        resolvers: { Query: { fails: fail }, Mutation: { write: () => ({ id: 1 }) } },
        cors: { origin: fail },
        context: ({ waitUntil }: { waitUntil: (work: Promise<unknown>) => void }) => (waitUntil(failLater()), {}),
        cache: { get: failLater, set: failLater, delete: failLater },
        plugins: [
          edge({ cdn: 'varnish', purge: failLater, onDecision: fail, deploy: '1' } as never),
          { operation: after(fail), serverWillStart: () => undefined },
        ],
      } as unknown as ServerOptions) as unknown as (event: object, context: object) => Promise<{ statusCode: number }>;

      const unhandled = await unhandledRejections(async () => {
        for (const query of ['{ a }', '{ fails }', '{ unknown }', 'mutation { write { id } }'])
          assert.ok((await handler(event(query), {})).statusCode >= 200, query);
      });

      assert.equal(unhandled, 0);
      assert.ok(printed.mock.callCount() > 0);
      assert.match(String(printed.mock.calls[0]!.arguments[0]), /The logger failed/);
    });
  }

  test('is passed to plugins with all its methods', async () => {
    const seen: unknown[] = [];
    const logger = Object.assign(new ClassLogger(), { error: () => undefined });
    const plugin = {
      requestDidStart: ({ logger: given }: any) => void seen.push(given.reason(), given.child, given instanceof ClassLogger),
    };
    const handler = createHandler({ nodeEnv: '', logger, typeDefs: 'type Query { a: String }', plugins: [plugin] } as unknown as ServerOptions) as any; // prettier-ignore

    await handler(event('{ a }'), {});

    assert.deepEqual(seen, ['full', 0, true]);
  });

  test('of pino gets the error before the text, so that stack and cause are in the line', async () => {
    const lines: unknown[][] = [];
    const log = (...line: unknown[]): unknown => lines.push(line);
    // pino and its children have this mark.
    const logger = { debug: log, info: log, warn: log, error: log, [Symbol.for('pino.serializers')]: {} };
    const resolvers = { Query: { a: fail } };
    const handler = createHandler({ nodeEnv: '', logger, typeDefs: 'type Query { a: String }', resolvers }) as any;

    await handler(event('{ a }'), {});

    const [[error, text]] = lines as [[Error, string]];
    assert.equal(error.message, 'The log is full.');
    assert.match(text, /^Unexpected error \w+ .* at a: The log is full\.$/);
  });
});
