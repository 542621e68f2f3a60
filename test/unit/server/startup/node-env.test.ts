import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { echoServer } from '../../../support/echo-server.ts';
import { get, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { httpAPI } from '../../../support/sources.ts';

const landingPage = { serverWillStart: () => ({ renderLandingPage: () => ({ html: '<h1>Playground</h1>' }) }) };
const html = get({}, { headers: [['Accept', 'text/html,*/*;q=0.8']] });

/** What a server can show, and the environments in which it does so by default. All but 'development' and 'test' count as production. */
const shown: readonly (readonly [what: string, request: PlainRequest, text: string, environments: readonly string[]])[] = [
  ['the schema by introspection', post({ query: '{ __schema { queryType { name } } }' }), '"Query"', ['development']],
  ['names of the schema as suggestions', post({ query: '{ ech(text: "x") }' }), 'Did you mean', ['development']],
  ['stack traces', post({ query: '{ fail }' }), 'stacktrace', ['development']],
  ['stack traces of syntax errors', post({ query: '{ fail' }), 'stacktrace', []],
  ['stack traces of invalid documents', post({ query: '{ unknown }' }), 'stacktrace', []],
  ['stack traces of requests without a query', post({ query: '' }), 'stacktrace', []],
  ['texts of unexpected errors', post({ query: '{ fail }' }), 'on purpose', ['development', 'test']],
  ['a landing page', html, 'Playground', ['development']],
];

async function answer(options: Partial<ServerOptions>, request: PlainRequest): Promise<string> {
  const handler = createHandler(echoServer(options).options);
  const { body } = await httpAPI.read(await handler(httpAPI.build(request)));
  return body;
}

for (const nodeEnv of ['development', 'test', 'production', '', 'Development', 'development ', 'dev'])
  for (const [what, request, text, environments] of shown)
    test(`with NODE_ENV ${JSON.stringify(nodeEnv)} and no option, a server ${environments.includes(nodeEnv) ? 'shows' : 'does not show'} ${what}`, async () => {
      const body = await answer({ nodeEnv, plugins: [landingPage] }, request);

      assert.equal(body.includes(text), environments.includes(nodeEnv), body);
    });

describe('without the option nodeEnv', () => {
  async function answerIn(environment: NodeJS.ProcessEnv): Promise<string> {
    const before = process.env;
    process.env = environment;
    try {
      return await answer({ nodeEnv: undefined }, post({ query: '{ fail }' }));
    } finally {
      process.env = before;
    }
  }

  test('NODE_ENV is read from the environment, and counts as production if it is unset', async () => {
    assert.doesNotMatch(await answerIn({}), /on purpose|stacktrace/);
    assert.match(await answerIn({ NODE_ENV: 'development' }), /on purpose/);
  });
});

for (const [option, what, hidingIn, showing] of [
  ['introspection', 'the schema by introspection', 'development', true],
  ['introspection', 'names of the schema as suggestions', 'development', true],
  ['maskErrors', 'texts of unexpected errors', 'test', false],
  ['includeStacktraceInErrorResponses', 'stack traces', 'development', true],
] as const)
  test(`the option ${option} overrides NODE_ENV for ${what}`, async () => {
    const [, request, text] = shown.find(([name]) => name === what)!;

    assert.ok((await answer({ nodeEnv: 'production', [option]: showing }, request)).includes(text));
    assert.equal((await answer({ nodeEnv: hidingIn, [option]: !showing }, request)).includes(text), false);
  });
