import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';

import { RESTDataSource } from '../../../../../src/entries/datasource.ts';
import { parseEvents, resultsOf } from '../../../../support/sse.ts';
import { codesOf, fail, serve, ticking } from '../../../../support/subscription-server.ts';

it('context, data sources and plugins are created once for a subscription, not for each event', async () => {
  const calls: string[] = [];
  const note = (name: string) => (): void => void calls.push(name);
  const { play } = serve({
    context: () => (calls.push('context'), {}),
    dataSources: () => (calls.push('dataSources'), {}),
    plugins: [
      {
        requestDidStart() {
          calls.push('requestDidStart');
          return {
            didResolveOperation: note('didResolveOperation'),
            executionDidStart: () => (calls.push('executionDidStart'), note('executionDidEnd')),
            didEncounterErrors: note('didEncounterErrors'),
            willSendResponse: note('willSendResponse'),
            didEncounterSubsequentErrors: note('didEncounterSubsequentErrors'),
            willSendSubsequentPayload: note('willSendSubsequentPayload'),
          };
        },
      },
    ],
  });

  await play([{ ticks: 1 }, { ticks: 'x' }]);

  assert.deepEqual(calls, [
    'context',
    'dataSources',
    'requestDidStart',
    'didResolveOperation',
    'executionDidStart',
    'executionDidEnd',
    'willSendResponse',
    'dataSources',
    'willSendSubsequentPayload',
    'dataSources',
    'didEncounterSubsequentErrors',
    'willSendSubsequentPayload',
  ]);
});

describe('the plugins of a subscription', () => {
  it('may change each payload', async () => {
    const willSendSubsequentPayload = (_: unknown, payload: object) => void Object.assign(payload, { extensions: { seen: true } });
    const { play } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload }) }] });

    assert.deepEqual(await play([{ ticks: 1 }]), [{ data: { ticks: 1 }, extensions: { seen: true } }]);
  });

  it('that fail for an event end the subscription with an error', async () => {
    const { source, send } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload: fail }) }] });
    source.push({ ticks: 1 });

    const [first, second] = parseEvents(await (await send(ticking)).text()).slice(1);

    assert.equal(first?.data.errors[0].message, 'Internal server error');
    assert.equal(second?.event, 'complete');
    assert.equal(source.isClosed(), true);
  });

  for (const [hook, listener] of Object.entries({
    willSendResponse: { willSendResponse: fail },
    'the end of executionDidStart': { executionDidStart: () => fail },
  })) {
    it(`that fail before the first event leave no source open, and send no event: ${hook}`, async () => {
      const { source, send } = serve({ plugins: [{ requestDidStart: () => listener }] });
      source.push({ ticks: 1 });

      assert.deepEqual(await codesOf(await send(ticking)), ['INTERNAL_SERVER_ERROR']);
      assert.equal(source.isClosed(), true);
    });
  }
});

it('formatError is applied last to the errors of events', async () => {
  const { source, send } = serve({ formatError: (error) => ({ ...error, message: 'formatted' }) });
  source.push({ ticks: 'x' });
  source.fail(new Error('hunter2'));

  const [event, end] = resultsOf(await (await send(ticking)).text()) as any[];

  assert.deepEqual([event.errors[0].message, end.errors[0].message], ['formatted', 'formatted']);
});

describe('data sources of a subscription', () => {
  class Books extends RESTDataSource {
    override baseURL = 'http://books.test/';
    readonly loader = new DataLoader(async (keys: readonly string[]) => keys.map(() => ++reads));
    author = (): Promise<string> => this.get('author');
  }
  let reads = 0;
  const resolvers = {
    Subscription: {
      book: {
        async *subscribe(_source: unknown, _arguments: unknown, { dataSources }: { dataSources: { books: Books } }) {
          await dataSources.books.author();
          yield* [1, 2].map(() => ({ title: 'Emma' }));
        },
        resolve: (event: unknown) => event,
      },
    },
    Book: {
      author: (_book: unknown, _arguments: unknown, { dataSources }: any) => dataSources.books.author(),
      shout: (_book: unknown, _arguments: unknown, { dataSources }: any) => dataSources.books.loader.load('a'),
    },
  };
  const query = 'subscription { book(id: 1) { author again: author shout louder: shout(times: 2) } }';

  it('are new for each event', async () => {
    const contexts: unknown[] = [];
    let sent = 0;
    const books = (): Books => new Books({ httpFetch: async () => Response.json(`author ${++sent}`) });
    const context = (): object => ({ contexts: contexts.push(1) });
    const { play } = serve({ resolvers, context, dataSources: () => ({ books: books() }) });

    const results = await play([], query);

    const expected = (count: number): object => ({
      data: { book: { author: `author ${count + 1}`, again: `author ${count + 1}`, shout: `${count}`, louder: `${count}` } },
    });
    assert.deepEqual(results, [expected(1), expected(2)]);
    assert.equal(contexts.length, 1);
  });

  it('that cannot be created are an error of one event', async () => {
    let created = 0;
    const dataSources = (): object => {
      if (++created === 2) throw new GraphQLError('No books.');
      return { books: new Books({ httpFetch: async () => Response.json('Austen') }) };
    };

    assert.deepEqual(await serve({ resolvers, dataSources: dataSources as never }).play([], 'subscription { book(id: 1) { author } }'), [
      { errors: [{ message: 'No books.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
      { data: { book: { author: 'Austen' } } },
    ]);
  });
});
