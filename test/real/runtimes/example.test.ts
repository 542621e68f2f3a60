import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { get, json, post } from '../../support/plain-http.ts';
import { functionURLEvent } from '../../support/events.ts';
import { contracts } from '../../support/results.ts';
import { lambdaSources } from '../../support/sources.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { deploy, resultOf } from '../../support/real/lambda-function.ts';
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
        const { author } = json(await read(resultOf(await graphql.invoke(build(request))))).data;
        assert.equal(author.name, 'Jane Austen', name);
        assert.ok(author.books.some(({ title }: { title: string }) => title === 'Emma'));
      }
    }
  });

  test('a mutation changes what the next query sees, even though the sandbox is frozen in between', async (t) => {
    const graphql = await deployExample(t, folder.path, true);
    const review = 'reviews { stars text by }';
    const ask = async (query: string): Promise<any> => {
      const { build, read } = lambdaSources[2]!;
      return json(await read(resultOf(await graphql.invoke(build(post({ query }, { headers: [['x-user', 'Harriet']] })))))).data;
    };
    const earlier = (await ask(`{ book(id: "emma") { ${review} } }`)).book.reviews;

    await ask('mutation { addReview(book: "emma", stars: 5, text: "Again.") { stars } }');

    const later = (await ask(`{ book(id: "emma") { ${review} } }`)).book.reviews;
    assert.deepEqual(later, [...earlier, { stars: 5, text: 'Again.', by: 'Harriet' }]);
  });
});

async function deployExample(t: TestContext, taskRoot: string, freezes = false): Promise<LambdaFunction> {
  const catalogue = await deploy(t, { taskRoot, handler: 'catalogue.lambda' });
  const functionURL = { build: functionURLEvent, contract: contracts.payloadV2 };
  const origin = await serveEvents(t, functionURL, async (event) => resultOf(await catalogue.invoke(event)));
  const environment = {
    CATALOGUE_URL: `${origin}/`,
    NODE_ENV: 'production',
    NODE_OPTIONS: '--enable-source-maps',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
  };
  return deploy(t, { taskRoot, handler: 'graphql.default', environment, freezes });
}
