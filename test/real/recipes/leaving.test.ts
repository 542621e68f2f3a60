import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveCatalogue } from '../../example/catalogue-server.ts';
import { needs } from '../parts.ts';
import { ask, writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

const operations = [
  '{ books { title year author { name } } }',
  '{ book(id: "emma") { title author { name books { title } } reviews { stars text by } } missing: book(id: "none") { title } }',
  '{ authors { name born died } author(id: "austen") { books { reviews { stars } } } }',
  'mutation { addReview(book: "emma", stars: 9, text: "Too many.") { id } }',
];

test('the servers of docs/leaving.md', needs('leaving'), async (context) => {
  process.env['CATALOGUE_URL'] = (await serveCatalogue(context)).url;
  const project: RecipeProject = await writeRecipes('docs/leaving.md', 'leaving');
  context.after(() => {
    delete process.env['CATALOGUE_URL'];
    return project.remove();
  });
  const { default: example } = (await import('../../../functions/graphql.ts')) as { default: unknown };

  await context.test('compile, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  for (const file of ['yoga.ts', 'apollo.js', 'http.ts'])
    await context.test(`functions/${file} answers the operations of the example with the same data and messages`, async () => {
      const module = await project.import(`functions/${file}`);
      const server = { fetch: file === 'apollo.js' ? asFetch(module['handler'] as LambdaHandler) : module['default'] };

      for (const operation of operations)
        assert.deepEqual(comparable(await ask(server, operation)), comparable(await ask(example, operation)), operation);
    });
});

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: unknown; readonly extensions?: { readonly code?: string } }[];
}

type LambdaHandler = (event: object, context: object) => Promise<{ statusCode: number; body: string }>;

/** Without the locations of errors, which masked errors and other servers treat differently. */
function comparable(answer: unknown): unknown {
  const { data, errors } = answer as Answer;
  return { data, errors: errors?.map(({ message, path, extensions }) => [message, path, extensions?.code]) };
}

function asFetch(handler: LambdaHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const event = {
      version: '2.0',
      rawPath: '/graphql',
      rawQueryString: '',
      headers: Object.fromEntries(request.headers),
      requestContext: { http: { method: 'POST', path: '/graphql' } },
      body: await request.text(),
      isBase64Encoded: false,
    };
    const { statusCode, body } = await handler(event, {});
    return new Response(body, { status: statusCode });
  };
}
