import { deepEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler, DataSource, RESTDataSource } from '../../../src/entries/index.ts';
import type { RESTDataSourceOptions } from '../../../src/entries/index.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

let schemas = 0;

/** The warnings that are logged until two operations have run. */
async function warningsFor(create: () => unknown, nodeEnv = 'development'): Promise<string[]> {
  const [logger, lines] = recordingLogger();
  const typeDefs = `type Query { hello: String } # data sources ${++schemas}`;
  const handler = createHandler({ typeDefs, nodeEnv, logger, dataSources: () => ({ books: create() }) });
  for (let count = 0; count < 2; count++) await handler({ query: '{ hello }' });
  return lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

describe('warns once about a data source in development', () => {
  const cases: Record<string, readonly [create: () => unknown, message: string]> = {
    'when its initialize does not call super': [
      () =>
        new (class extends RESTDataSource {
          override async initialize(): Promise<void> {}
        })(),
      'initialize of the data source "books" does not call super.initialize(config), so the data source has no context and caches no responses.',
    ],
    'when baseURL is misspelt': [
      () =>
        new (class extends RESTDataSource {
          baseUrl = 'https://books.example.com/';
        })(),
      'baseUrl of the data source "books" is never read. Did you mean "baseURL"?',
    ],
    'when a hook is misspelt': [
      () =>
        new (class extends RESTDataSource {
          willSendRequests(): void {}
        })(),
      'willSendRequests of the data source "books" is never called. Did you mean "willSendRequest"?',
    ],
    'when initialize is misspelt': [
      () =>
        new (class extends DataSource {
          initialise(): void {}
        })(),
      'initialise of the data source "books" is never called. Did you mean "initialize"?',
    ],
    'when a hook is of another version': [
      () =>
        new (class extends RESTDataSource {
          requestDeduplicationPolicyFor(): void {}
        })(),
      'requestDeduplicationPolicyFor of the data source "books" is never called here. Set memoizeGetRequests, or override cacheKeyFor.',
    ],
  };
  for (const [name, [create, message]] of Object.entries(cases)) {
    test(name, async () => {
      deepEqual(await warningsFor(create), [message]);
    });
  }
});

test('does not warn about correct data sources with additional members', async () => {
  class Books extends RESTDataSource<object> {
    override baseURL = 'https://books.example.com/';
    initialized = true;
    base = 1;
    token: string | undefined;
    constructor(options: RESTDataSourceOptions & { token?: string } = {}) {
      super(options);
      this.token = options.token;
    }
    override async initialize(config: Parameters<RESTDataSource<object>['initialize']>[0]): Promise<void> {
      await Promise.resolve();
      await super.initialize(config);
    }
    protected override willSendRequest(): void {}
    parseBook(): void {}
    get whatever(): never {
      throw new Error('It is not read.');
    }
  }
  class Rows extends DataSource {
    rows(): readonly string[] {
      return [];
    }
  }

  deepEqual(await warningsFor(() => new Books({ token: 'secret' })), []);
  deepEqual(await warningsFor(() => new Rows()), []);
  deepEqual(await warningsFor(() => ({ find: () => 1 })), []);
  deepEqual(await warningsFor(() => () => 1), []);
  deepEqual(await warningsFor(() => undefined), []);
  const refusing = new Proxy(
    {},
    {
      getPrototypeOf: () => {
        throw new Error('It is not looked at.');
      },
    },
  );
  deepEqual(await warningsFor(() => refusing), []);
});

test('checks nothing in production', async () => {
  deepEqual(
    await warningsFor(
      () =>
        new (class extends RESTDataSource {
          baseUrl = '';
        })(),
      'production',
    ),
    [],
  );
});
