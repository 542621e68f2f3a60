import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeArtefact } from '../src/cli/project/make-artefact.ts';
import { installPackedPackage } from './support/packed-package.ts';
import type { InstalledProject } from './support/packed-package.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { exports: Record<string, unknown> };
const entries = Object.keys(manifest.exports).map((entry) => entry.replace('.', 'graphql-functions'));
const modules = entries.filter((entry) => !entry.endsWith('.json'));

/** Lambda runs Node so: what is required must be CommonJS. */
const asOnLambda = ['--no-experimental-require-module', '--no-experimental-detect-module'];

/** How an event of an HTTP API (payload 2.0) asks for one field. */
const httpAPIEvent = {
  version: '2.0',
  rawPath: '/graphql',
  rawQueryString: '',
  headers: { 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST', path: '/graphql' }, domainName: 'example.com', stage: '$default' },
  body: '{"query":"{ hello }"}',
  isBase64Encoded: false,
};
const netlifyV1Event = {
  rawUrl: 'https://example.com/.netlify/functions/graphql',
  rawQuery: '',
  path: '/.netlify/functions/graphql',
  httpMethod: 'POST',
  headers: { 'content-type': 'application/json' },
  multiValueHeaders: { 'content-type': ['application/json'] },
  queryStringParameters: {},
  multiValueQueryStringParameters: {},
  body: '{"query":"{ hello }"}',
  isBase64Encoded: false,
};
const options = "{ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } }";

const consumer = `
import { createHandler, RESTDataSource, gql } from 'graphql-functions';
import type { Handler } from 'graphql-functions';
import { createHandler as lambda } from 'graphql-functions/aws-lambda';
import { createHandler as netlify } from 'graphql-functions/netlify';
import { createHandler as fetchHandler } from 'graphql-functions/fetch';
import { serve } from 'graphql-functions/node';
import { DataSource } from 'graphql-functions/datasource';
import { InMemoryLRUCache } from 'graphql-functions/cache';
import type { KeyValueCache } from 'graphql-functions/cache';

class Books extends RESTDataSource {
  override baseURL = 'https://example.com/';
  book(id: string): Promise<{ title: string }> {
    return this.get('books/' + encodeURIComponent(id));
  }
}
class Counter extends DataSource {}

const cache: KeyValueCache = new InMemoryLRUCache();
export const handler: Handler = createHandler({
  cache,
  typeDefs: gql\`type Query { title: String }\`,
  context: async ({ request }) => ({ user: request.headers.get('x-user') ?? '' }),
  dataSources: () => ({ books: new Books(), counter: new Counter() }),
  resolvers: {
    Query: {
      title: async (_, { id }, { user, dataSources }) => user.toUpperCase() + (await dataSources.books.book(id)).title,
    },
  },
});
export const onLambda = lambda({ typeDefs: '', context: ({ context }) => ({ id: context.awsRequestId }) });
export const onNetlify = netlify({ typeDefs: '' });
export const { fetch } = fetchHandler({ typeDefs: '', context: ({ event }) => ({ url: event.url }) });
export const start = (): Promise<{ url: string }> => serve({ typeDefs: '' }, { port: 0 });
`;

describe('the packed tarball, installed', { concurrency: 2 }, () => {
  let project: InstalledProject;
  before(async () => {
    project = await installPackedPackage();
  });
  after(() => project.remove());

  test('every export can be imported', async () => {
    const printed = await project.run(`
      for (const entry of ${JSON.stringify(modules)}) console.log(Object.keys(await import(entry)).length > 0);
      const { default: { name } } = await import('graphql-functions/package.json', { with: { type: 'json' } });
      console.log(name);`);

    deepEqual(printed.trim().split('\n'), [...modules.map(() => 'true'), 'graphql-functions']);
  });

  test('every export can be required where require takes CommonJS alone', async () => {
    const printed = await project.run(
      `for (const entry of ${JSON.stringify(entries)}) console.log(Object.keys(require(entry)).length > 0);`,
      {
        flags: asOnLambda,
        type: 'commonjs',
      },
    );

    deepEqual(
      printed.trim().split('\n'),
      entries.map(() => 'true'),
    );
  });

  test('both builds of an entry have the same names', async () => {
    const names = `Object.keys(module).filter((name) => name !== '__esModule' && name !== 'module.exports' && name !== 'default').sort()`;
    const imported = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) { const module = await import(entry); console.log(entry, ...${names}); }`,
    );
    const required = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) { const module = require(entry); console.log(entry, ...${names}); }`,
      { flags: asOnLambda, type: 'commonjs' },
    );

    equal(imported, required);
  });

  for (const [name, flags, type, load] of [
    ['import', [], 'module', "const { createHandler } = await import('graphql-functions');"],
    ['require', asOnLambda, 'commonjs', "const { createHandler } = require('graphql-functions');"],
  ] as const) {
    test(`a handler answers, got by ${name}`, async () => {
      const printed = await project.run(
        `(async () => {
          ${load}
          const { statusCode, body } = await createHandler(${options})(${JSON.stringify(httpAPIEvent)}, {});
          console.log(statusCode, body);
        })()`,
        { flags, type },
      );

      equal(printed.trim(), '200 {"data":{"hello":"world"}}');
    });

    test(`a build is read, got by ${name}`, async () => {
      const artefact = makeArtefact(['type Query { hello: String }'], { schema: ['a.graphql'], documents: [], descriptions: false }, []);
      const printed = await project.run(
        `(async () => {
          ${load}
          const { readBuild } = ${type === 'module' ? "await import('graphql-functions/build')" : "require('graphql-functions/build')"};
          const { resolvers } = ${options};
          const { body } = await createHandler({ resolvers, build: readBuild(${JSON.stringify(artefact)}) })(${JSON.stringify(httpAPIEvent)}, {});
          console.log(body);
        })()`,
        { flags, type },
      );

      equal(printed.trim(), '{"data":{"hello":"world"}}');
    });

    test(`the whole schema is checked in development, got by ${name}`, async () => {
      const printed = await project.run(
        `(async () => {
          ${load}
          const warnings = [];
          const logger = { ...console, warn: (message) => warnings.push(message) };
          createHandler({ ...${options}, nodeEnv: 'development', logger });
          console.log(JSON.stringify(warnings));
        })()`,
        { flags, type },
      );

      equal(printed.trim(), '[]');
    });

    test(`a browser gets the playground in development, got by ${name}`, async () => {
      const event = { ...httpAPIEvent, headers: { accept: 'text/html' }, requestContext: { http: { method: 'GET', path: '/graphql' } } };
      const printed = await project.run(
        `(async () => {
          ${load}
          const { statusCode, body } = await createHandler({ ...${options}, nodeEnv: 'development' })(${JSON.stringify(event)}, {});
          console.log(statusCode, /<title>(.*)<\\/title>/.exec(body)?.[1]);
        })()`,
        { flags, type },
      );

      equal(printed.trim(), '200 GraphQL playground');
    });
  }

  for (const type of ['module', 'commonjs'] as const) {
    test(`the stack of an error names the line of the source, with source maps on (${type})`, async () => {
      const load = type === 'module' ? "await import('graphql-functions')" : "require('graphql-functions')";
      const printed = await project.run(
        `(async () => {
          const { createHandler } = ${load};
          try { createHandler({ typeDefs: 'type Query {' }); } catch ({ stack }) { console.log(stack); }
        })()`,
        { flags: ['--enable-source-maps'], type },
      );

      match(printed, /[\\/]src[\\/]schema[\\/][\w-]+[\\/][\w-]+\.ts:\d+:\d+/);
    });
  }

  test('an entry and all that it needs are a few files', async () => {
    const opened = await project.run(
      `for (const entry of ${JSON.stringify(entries)}) {
        for (const file of Object.keys(require.cache)) delete require.cache[file];
        require(entry);
        console.log(Object.keys(require.cache).filter((file) => /graphql-functions.dist/.test(file)).length);
      }`,
      { flags: asOnLambda, type: 'commonjs' },
    );

    ok(Math.max(...opened.trim().split('\n').map(Number)) <= 15, opened);
  });

  test('an entry loads the adapters of its own platform alone', async () => {
    const loaded = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) {
        for (const file of Object.keys(require.cache)) delete require.cache[file];
        require(entry);
        const loaded = Object.keys(require.cache).map((file) => require('node:fs').readFileSync(file, 'utf8')).join();
        const adapters = [...loaded.matchAll(/src.platform.(alb|rest-api|netlify-v1|fetch|node)\\.ts$/gm)].map(([, name]) => name);
        console.log(entry, ...adapters.sort());
      }`,
      { flags: asOnLambda, type: 'commonjs' },
    );

    deepEqual(loaded.trim().split('\n'), [
      'graphql-functions alb fetch netlify-v1 rest-api',
      'graphql-functions/aws-lambda alb rest-api',
      'graphql-functions/netlify fetch netlify-v1',
      'graphql-functions/fetch fetch',
      'graphql-functions/node node',
      'graphql-functions/datasource',
      'graphql-functions/cache',
      'graphql-functions/build',
      'graphql-functions/landing-page',
      'graphql-functions/incremental',
      'graphql-functions/opentelemetry',
      'graphql-functions/cost-line',
      'graphql-functions/edge',
      'graphql-functions/testing alb fetch netlify-v1 rest-api',
      'graphql-functions/explain',
      'graphql-functions/plugin-check',
      'graphql-functions/schema-check',
      'graphql-functions/v3 alb fetch netlify-v1 rest-api',
      'graphql-functions/v3/core',
      'graphql-functions/v3/datasource',
      'graphql-functions/v3/datasource-rest',
    ]);
  });

  // Each of them costs 4 to 40 ms of a cold start.
  for (const entry of modules.filter((name) => !name.endsWith('/node') && !name.endsWith('/schema-check'))) {
    test(`loading ${entry} touches neither HTTP nor crypto nor a web class`, async () => {
      deepEqual(await dearBuiltins(project, `await import('${entry}');`), []);
    });
  }

  for (const [entry, name, event] of [
    ['graphql-functions/aws-lambda', 'an HTTP API', httpAPIEvent],
    ['graphql-functions', 'an HTTP API', httpAPIEvent],
    ['graphql-functions/netlify', 'Netlify v1', netlifyV1Event],
    ['graphql-functions', 'Netlify v1', netlifyV1Event],
  ] as const) {
    test(`serving an event of ${name} by ${entry} touches neither HTTP nor crypto nor a web class`, async () => {
      const dear = await dearBuiltins(
        project,
        `const { createHandler } = await import('${entry}');
        const { statusCode } = await createHandler(${options})(${JSON.stringify(event)}, {});
        if (statusCode !== 200) throw new Error(statusCode);`,
      );

      deepEqual(dear, []);
    });
  }

  test('the probe of builtins notices them', async () => {
    const dear = await dearBuiltins(project, "new Request('http://localhost/'); await import('node:http'); await import('node:crypto');");

    ok(dear.includes('crypto') && dear.includes('http') && dear.includes('internal/deps/undici/undici'), String(dear));
  });

  for (const [name, compilerOptions] of [
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] }],
    [
      'nodenext with the DOM',
      { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] },
    ],
    ['bundler', { module: 'preserve', moduleResolution: 'bundler', types: ['node'] }],
  ] as const) {
    test(`TypeScript under ${name} compiles ES modules and CommonJS against it`, async () => {
      const complaints = await project.compile(
        { 'consumer.mts': consumer, 'consumer.cts': consumer },
        { target: 'es2022', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, ...compilerOptions },
      );

      equal(complaints, '');
    });
  }

  test('TypeScript sees the types of a consumer, and refuses what is wrong', async () => {
    const wrong = consumer.replace('user.toUpperCase()', 'user.toFixed()');

    const complaints = await project.compile(
      { 'consumer.mts': wrong },
      { module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
    );

    equal(complaints.match(/error TS/g)?.length, 1);
    ok(complaints.includes("Property 'toFixed' does not exist on type 'string'"), complaints);
  });
});

/** The costly builtins that a program loads beyond what an empty one does. */
async function dearBuiltins(project: InstalledProject, program: string): Promise<string[]> {
  const printed = await project.run(`
    const before = new Set(process.moduleLoadList);
    ${program}
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name))));`);
  const loaded = (JSON.parse(printed) as string[]).map((name) => name.replace(/^(?:NativeModule|Internal Binding) /, ''));
  return loaded.filter((name) => /^(?:_?http|https|net$|tls|crypto|internal\/crypto|internal\/deps\/undici)/.test(name));
}
