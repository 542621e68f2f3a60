import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { echoServer } from '../../../support/echo-server.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import { httpAPI } from '../../../support/sources.ts';

/** What a server shows by default. Every environment but 'development' and 'test' counts as production. */
interface Openness {
  readonly nodeEnv: string;
  readonly introspection: boolean;
  readonly suggestions: boolean;
  readonly stacktraces: boolean;
  readonly unexpectedErrors: boolean;
  readonly upstreamErrors: boolean;
  readonly landingPage: boolean;
}

const closed = {
  introspection: false,
  suggestions: false,
  stacktraces: false,
  unexpectedErrors: false,
  upstreamErrors: false,
  landingPage: false,
};
const open = { introspection: true, suggestions: true, stacktraces: true, unexpectedErrors: true, upstreamErrors: true, landingPage: true };

const matrix: readonly Openness[] = [
  { nodeEnv: 'development', ...open },
  { nodeEnv: 'test', ...closed, unexpectedErrors: true, upstreamErrors: true },
  { nodeEnv: 'production', ...closed },
  { nodeEnv: '', ...closed },
  { nodeEnv: 'Development', ...closed },
  { nodeEnv: 'development ', ...closed },
  { nodeEnv: 'dev', ...closed },
  { nodeEnv: 'staging', ...closed },
];

const landingPage = { serverWillStart: () => ({ renderLandingPage: () => ({ html: '<h1>Playground</h1>' }) }) };

async function answer(
  options: Partial<ServerOptions>,
  request: Parameters<typeof httpAPI.build>[0],
): Promise<{ text: string; json: () => any }> {
  const handler = createHandler(echoServer(options).options);
  const response = await httpAPI.read(await handler(httpAPI.build(request)));
  return { text: response.body, json: () => json(response) };
}

for (const expected of matrix) {
  const { nodeEnv } = expected;
  const verb = (shown: boolean): string => (shown ? 'are shown' : 'are not shown');

  describe(`with NODE_ENV ${JSON.stringify(nodeEnv)} and no option`, () => {
    test(`names of the schema ${verb(expected.introspection)} on introspection`, async () => {
      const { data } = (await answer({ nodeEnv }, post({ query: '{ __schema { queryType { name } } }' }))).json();

      assert.equal(data !== undefined, expected.introspection);
    });

    test(`names of the schema ${verb(expected.suggestions)} as suggestions`, async () => {
      const { text } = await answer({ nodeEnv }, post({ query: '{ ech(text: "x") }' }));

      assert.equal(text.includes('Did you mean'), expected.suggestions);
    });

    test(`stack traces ${verb(expected.stacktraces)}`, async () => {
      const { errors } = (await answer({ nodeEnv }, post({ query: '{ fail }' }))).json();

      assert.equal('stacktrace' in errors[0].extensions, expected.stacktraces);
    });

    test('stack traces of client errors are not shown', async () => {
      const requests = ['{ fail', '{ unknown }', 'query ($n: Int!) { fail @skip(if: $n) }', '', 'query A { fail } query B { fail }'];
      for (const query of requests) {
        const { errors } = (await answer({ nodeEnv }, post({ query }))).json();

        assert.equal('stacktrace' in errors[0].extensions, false);
      }
    });

    test(`texts of unexpected errors ${verb(expected.unexpectedErrors)}`, async () => {
      const { text } = await answer({ nodeEnv }, post({ query: '{ fail }' }));

      assert.equal(text.includes('on purpose'), expected.unexpectedErrors);
    });

    test(`a landing page ${expected.landingPage ? 'is' : 'is not'} shown to a browser`, async () => {
      const { text } = await answer({ nodeEnv, plugins: [landingPage] }, get({}, { headers: [['Accept', 'text/html,*/*;q=0.8']] }));

      assert.equal(text.includes('Playground'), expected.landingPage);
    });
  });
}

describe('without the option nodeEnv', () => {
  /** Creates a handler with this NODE_ENV. createHandler reads the variable synchronously, so it is restored before a test awaits. */
  function handlerMadeWith(value: string | undefined): ReturnType<typeof createHandler> {
    const { nodeEnv: _passed, ...options } = echoServer().options;
    const before = process.env['NODE_ENV'];
    if (value === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = value;
    try {
      return createHandler(options);
    } finally {
      if (before === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = before;
    }
  }

  test('NODE_ENV unset counts as production', async () => {
    const response = await httpAPI.read(await handlerMadeWith(undefined)(httpAPI.build(post({ query: '{ fail ech }' }))));

    assert.doesNotMatch(response.body, /on purpose|Did you mean|stacktrace/);
  });

  test('NODE_ENV is read from the environment', async () => {
    const response = await httpAPI.read(await handlerMadeWith('development')(httpAPI.build(post({ query: '{ fail }' }))));

    assert.match(response.body, /on purpose/);
  });
});

describe('options override NODE_ENV', () => {
  test('introspection', async () => {
    const request = post({ query: '{ __schema { queryType { name } } }' });

    assert.notEqual((await answer({ nodeEnv: 'production', introspection: true }, request)).json().data, undefined);
    assert.equal((await answer({ nodeEnv: 'development', introspection: false }, request)).json().data, undefined);
  });

  test('introspection, for suggestions too', async () => {
    const request = post({ query: '{ ech(text: "x") }' });

    assert.match((await answer({ nodeEnv: 'production', introspection: true }, request)).text, /Did you mean/);
    assert.doesNotMatch((await answer({ nodeEnv: 'development', introspection: false }, request)).text, /Did you mean/);
  });

  test('maskErrors', async () => {
    const request = post({ query: '{ fail }' });

    assert.match((await answer({ nodeEnv: 'production', maskErrors: false }, request)).text, /on purpose/);
    assert.doesNotMatch((await answer({ nodeEnv: 'test', maskErrors: true }, request)).text, /on purpose/);
  });

  test('includeStacktraceInErrorResponses', async () => {
    const request = post({ query: '{ fail }' });

    assert.match((await answer({ nodeEnv: 'production', includeStacktraceInErrorResponses: true }, request)).text, /stacktrace/);
    assert.doesNotMatch((await answer({ nodeEnv: 'development', includeStacktraceInErrorResponses: false }, request)).text, /stacktrace/);
  });
});
