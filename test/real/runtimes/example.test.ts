import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { get, json, post } from '../../support/plain-http.ts';
import { functionURLEvent } from '../../support/events.ts';
import { contracts } from '../../support/results.ts';
import { lambdaSources } from '../../support/sources.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { deploy } from '../../support/real/lambda-function.ts';
import type { LambdaFunction } from '../../support/real/lambda-function.ts';
import { serveEvents } from '../../support/real/loopback.ts';
import { needs } from '../../support/real/parts.ts';

// The functions are bundled and configured as in template.yaml.
describe('the example and its catalogue, each in a separate sandbox', needs('aws-lambda-ric'), () => {
  let folder: Folder;

  before(async () => {
    folder = await createFolder();
    await bundle('functions/graphql.ts', `${folder.path}/graphql.mjs`, 'lambda-esm');
    await bundle('functions/catalogue.ts', `${folder.path}/catalogue.mjs`, 'lambda-esm');
  });
  after(() => folder.remove());

  test('answer through every event source', async (t) => {
    const graphql = await deployExample(t, folder.path);
    const query = 'query ($id: ID!) { author(id: $id) { name books { title reviews { stars } } } }';

    for (const { name, build, read } of lambdaSources) {
      for (const request of [post({ query, variables: { id: 'austen' } }), get({ query, variables: '{"id":"austen"}' })]) {
        const outcome = await graphql.invoke(build(request));
        assert.ok(outcome.kind === 'result', `${name}: ${JSON.stringify(outcome)}\n${graphql.log()}`);
        const { author } = json(await read(outcome.value)).data;
        assert.equal(author.name, 'Jane Austen', name);
        assert.ok(author.books.some(({ title }: { title: string }) => title === 'Emma'));
      }
    }
  });

  test('a mutation changes what the next query sees, even though the sandbox is frozen in between', async (t) => {
    const graphql = await deployExample(t, folder.path, true);
    const review = 'reviews { stars text by }';
    const ask = async (query: string): Promise<any> => {
      const outcome = await graphql.invoke(lambdaSources[2]!.build(post({ query }, { headers: [['x-user', 'Harriet']] })));
      assert.ok(outcome.kind === 'result', JSON.stringify(outcome));
      return json(await lambdaSources[2]!.read(outcome.value)).data;
    };
    const earlier = (await ask(`{ book(id: "emma") { ${review} } }`)).book.reviews;

    await ask('mutation { addReview(book: "emma", stars: 5, text: "Again.") { stars } }');

    const later = (await ask(`{ book(id: "emma") { ${review} } }`)).book.reviews;
    assert.deepEqual(later, [...earlier, { stars: 5, text: 'Again.', by: 'Harriet' }]);
  });
});

async function deployExample(t: TestContext, taskRoot: string, freezes = false): Promise<LambdaFunction> {
  const catalogue = await deploy({ taskRoot, handler: 'catalogue.lambda' });
  t.after(() => catalogue.end());
  const functionURL = { build: functionURLEvent, contract: contracts.payloadV2 };
  const origin = await serveEvents(t, functionURL, async (event) => {
    const outcome = await catalogue.invoke(event);
    return outcome.kind === 'result' ? outcome.value : assert.fail(JSON.stringify(outcome));
  });
  const environment = {
    CATALOGUE_URL: `${origin}/`,
    NODE_ENV: 'production',
    NODE_OPTIONS: '--enable-source-maps',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
  };
  const graphql = await deploy({ taskRoot, handler: 'graphql.default', environment, freezes });
  t.after(() => graphql.end());
  assert.deepEqual([catalogue.initError, graphql.initError], [undefined, undefined], graphql.log());
  return graphql;
}
