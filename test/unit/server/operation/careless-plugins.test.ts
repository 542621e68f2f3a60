import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ForbiddenError, RESTDataSource, createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

class Books extends RESTDataSource {
  override baseURL = 'https://books.example/';
  find(): Promise<string> {
    return this.get('emma');
  }
}

/** Sends a request to a server in production with one plugin, whose types need not be right. */
async function ask(plugin: object): Promise<{ response: PlainResponse; lines: readonly LogLine[] }> {
  const [logger, lines] = recordingLogger();
  const title = (_source: unknown, _args: unknown, { dataSources }: { dataSources: { books: Books } }) => dataSources.books.find();
  const handler = createHandler({
    typeDefs: 'type Query { title: String }',
    resolvers: { Query: { title } } as never,
    dataSources: () => ({ books: new Books({ httpFetch: async () => Response.json('Emma') }) }),
    nodeEnv: 'production',
    logger,
    plugins: [plugin as ServerPlugin],
  });
  let response!: PlainResponse;
  const unhandled = await unhandledRejections(async () => {
    response = await httpAPI.read(await handler(httpAPI.build(post({ query: '{ title }' })) as never, {} as never));
  });
  assert.equal(unhandled, 0);
  return { response, lines };
}

describe('a synchronous hook that is written as asynchronous', () => {
  const refuse = async (): Promise<never> => {
    throw new ForbiddenError('Not you');
  };

  for (const hook of ['encode', 'sourceCall'])
    for (const [way, written] of Object.entries({ 'that refuses': refuse, 'that returns nothing': async () => {} }))
      it(`is a masked error that names it, as ${hook} ${way}`, async () => {
        const { response, lines } = await ask({ [hook]: written });

        assert.equal(json(response).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
        assert.match(
          JSON.stringify(lines.map(({ message, details }) => [message, ...details].join(' '))),
          new RegExp(`Expected ${hook} of plugins\\[0\\] to be synchronous`),
        );
      });

  for (const step of ['sent', 'answered', 'ended'])
    it(`is logged, as ${step} of a call of a data source`, async () => {
      const { response, lines } = await ask({ sourceCall: () => ({ [step]: refuse }) });

      assert.equal(json(response).data.title, 'Emma');
      assert.deepEqual(
        lines.map(({ message }) => message),
        [`${step} of a plugin failed.`],
      );
    });
});
