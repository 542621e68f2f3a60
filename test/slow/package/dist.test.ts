import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { httpAPIEvent, netlifyEvent } from '../../support/events.ts';
import { plainRequest, post } from '../../support/plain-http.ts';
import { installPackedPackage } from '../../support/packed-package.ts';
import type { InstalledProject } from '../../support/packed-package.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const entries = Object.keys(manifest.exports).map((entry) => entry.replace('.', 'graphql-functions'));
const modules = entries.filter((entry) => !entry.endsWith('.json'));

/** The flags of Node on Lambda, with which require() accepts only CommonJS. */
const asOnLambda = ['--no-experimental-require-module', '--no-experimental-detect-module'];

const query = post({ query: '{ hello }' });
const events = { 'an HTTP API': httpAPIEvent(query), 'Netlify v1': netlifyEvent(query) };
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

  test('every export can be imported, and required where require accepts only CommonJS: both builds have the same names', async () => {
    const names = `Object.keys(module).filter((name) => name !== '__esModule' && name !== 'module.exports' && name !== 'default').sort()`;
    const imported = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) { const module = await import(entry); console.log(entry, ...${names}); }
      const { default: { name } } = await import('graphql-functions/package.json', { with: { type: 'json' } });
      console.log(name);`,
    );
    const required = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) { const module = require(entry); console.log(entry, ...${names}); }
      console.log(require('graphql-functions/package.json').name);`,
      { flags: asOnLambda, type: 'commonjs' },
    );

    equal(imported, required);
    const lines = imported.trim().split('\n');
    equal(lines.pop(), 'graphql-functions');
    deepEqual(
      lines.map((line) => line.split(' ').length > 1),
      modules.map(() => true),
    );
  });

  for (const [name, flags, type, load] of [
    ['import', [], 'module', (entry: string) => `await import('${entry}')`],
    ['require', asOnLambda, 'commonjs', (entry: string) => `require('${entry}')`],
  ] as const) {
    test(`loaded with ${name}, a handler answers; in development it checks the schema and has the playground; stacks name lines of the sources`, async () => {
      const page = httpAPIEvent(plainRequest({ headers: [['accept', 'text/html']] }));
      const printed = await project.run(
        `(async () => {
          const { createHandler } = ${load('graphql-functions')};
          const options = ${options};
          const warnings = [];
          const logger = { ...console, warn: (message) => warnings.push(message) };
          const event = ${JSON.stringify(events['an HTTP API'])};

          const plain = await createHandler(options)(event, {});
          console.log(plain.statusCode, plain.body);
          const inDevelopment = createHandler({ ...options, nodeEnv: 'development', logger });
          console.log(JSON.stringify(warnings));
          const page = await inDevelopment(${JSON.stringify(page)}, {});
          console.log(page.statusCode, /<title>(.*)<\\/title>/.exec(page.body)?.[1]);
          try { createHandler({ typeDefs: 'type Query {' }); } catch ({ stack }) { console.log(stack); }
        })()`,
        { flags: [...flags, '--enable-source-maps'], type },
      );

      deepEqual(printed.split('\n').slice(0, 3), ['200 {"data":{"hello":"world"}}', '[]', '200 GraphQL playground']);
      match(printed, /[\\/]src[\\/]executor[\\/]schema[\\/][\w-]+[\\/][\w-]+\.ts:\d+:\d+/);
    });
  }

  test('batch() that is required warns in development beside createHandler that is imported', async () => {
    const printed = await project.run(`
      import { createRequire } from 'node:module';
      import { createHandler } from 'graphql-functions';
      const { batch } = createRequire(import.meta.url)('graphql-functions');
      const logger = { ...console, warn: (message) => console.log(message) };
      const resolvers = { Query: { all: batch((all) => all) } };
      createHandler({ typeDefs: 'type Query { all: Int }', resolvers, nodeEnv: 'development', logger });
    `);

    match(printed, /^batch\(\) of Query\.all is from another copy of graphql-functions than this server/);
  });

  test('an entry and its dependencies are a few files, with only the adapters of its platform', async () => {
    const printed = await project.run(
      `for (const entry of ${JSON.stringify(modules)}) {
        for (const file of Object.keys(require.cache)) delete require.cache[file];
        require(entry);
        const files = Object.keys(require.cache);
        const loaded = files.map((file) => require('node:fs').readFileSync(file, 'utf8')).join();
        const adapters = [...loaded.matchAll(/src.server.platform.(aws|fetch|netlify|node)\\.ts$/gm)].map(([, name]) => name);
        console.log(files.filter((file) => /graphql-functions.dist/.test(file)).length, entry, ...adapters.sort());
      }`,
      { flags: asOnLambda, type: 'commonjs' },
    );

    const lines = printed.trim().split('\n');
    ok(Math.max(...lines.map((line) => Number.parseInt(line, 10))) <= 20, printed);
    const withAdapters = lines.map((line) => line.split(' ').slice(1)).filter((names) => names.length > 1);
    deepEqual(withAdapters, [
      ['graphql-functions', 'aws', 'fetch', 'netlify'],
      ['graphql-functions/aws-lambda', 'aws'],
      ['graphql-functions/netlify', 'fetch', 'netlify'],
      ['graphql-functions/fetch', 'fetch'],
      ['graphql-functions/node', 'node'],
      ['graphql-functions/testing', 'aws', 'fetch', 'netlify'],
      ['graphql-functions/v3', 'aws', 'fetch', 'netlify'],
      ['graphql-functions/v3/express', 'node'],
    ]);
  });

  // Each of these builtins adds 4 to 40 ms to a cold start. One process loads the entries one after the other; a builtin stays
  // loaded, and is reported for the first entry that loads it.
  test('no entry uses HTTP, crypto or a web class when it is loaded, except /node', async () => {
    const light = modules.filter((name) => !name.endsWith('/node'));

    const dear = await dearBuiltins(project, Object.fromEntries(light.map((entry) => [entry, `await import('${entry}');`])));

    deepEqual(dear, Object.fromEntries(light.map((entry) => [entry, []])));
    // They are found if they are loaded.
    deepEqual(await dearBuiltins(project, { all: "await import('node:net');" }), { all: ['net'] });
  });

  test('serving an event uses neither HTTP nor crypto nor a web class', async () => {
    const served = (
      [
        ['graphql-functions/aws-lambda', 'an HTTP API'],
        ['graphql-functions', 'an HTTP API'],
        ['graphql-functions/netlify', 'Netlify v1'],
        ['graphql-functions', 'Netlify v1'],
      ] as const
    ).map(([entry, source]) => [
      `${entry}, ${source}`,
      `const { createHandler } = await import('${entry}');
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const { statusCode } = await createHandler({ ...${options}, logger })(${JSON.stringify(events[source])}, {});
      if (statusCode !== 200) throw new Error(statusCode);`,
    ]);

    const dear = await dearBuiltins(project, Object.fromEntries(served));

    deepEqual(dear, Object.fromEntries(served.map(([name]) => [name, []])));
  });

  const strict = { target: 'es2022', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, types: ['node'] };

  test('every type that a public function returns can be named in declarations of users, who import that entry alone', async () => {
    const settings = { ...strict, declaration: true, module: 'nodenext', moduleResolution: 'nodenext' };
    const complaints: string[] = [];

    for (const [name, text] of Object.entries(await filesWithResults(project, modules)))
      complaints.push(await project.compile({ [name]: text }, settings));

    deepEqual(complaints.join('').split('\n').filter(Boolean), []);
  });

  for (const [name, compilerOptions] of [
    ['bundler', { module: 'preserve', moduleResolution: 'bundler' }],
    ['nodenext with the DOM', { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'] }],
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ] as const)
    test(`TypeScript under ${name} compiles ES modules and CommonJS with the package, and refuses what is wrong`, async () => {
      const wrong = consumer.replace('user.toUpperCase()', 'user.toFixed()');
      const files = { 'consumer.mts': consumer, 'consumer.cts': consumer, 'wrong.mts': wrong };

      const complaints = await project.compile(files, { ...strict, ...compilerOptions });

      equal(complaints.match(/error TS/g)?.length, 1);
      match(complaints, /wrong\.mts\(\d+,\d+\).*Property 'toFixed' does not exist on type 'string'/);
    });
});

/** Values whose members only the server reads. */
const opaque = /^(?:graphqlJSExecutor|incrementalDelivery|inlineTraces)$/;

/** For each entry, a file that exports its functions, what they return, and the members of that unless it is a plugin. */
async function filesWithResults(project: InstalledProject, entries: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const program = `const names = {};
    for (const entry of ${JSON.stringify(entries)}) {
      const all = await import(entry);
      names[entry] = Object.keys(all).filter((name) => typeof all[name] === 'function' && name !== 'default');
    }
    console.log(JSON.stringify(names));`;
  const names = JSON.parse(await project.run(program)) as Record<string, string[]>;
  const files = Object.entries(names).map(([entry, functions]) => {
    const exported = functions.flatMap((name) => {
      const isCalled = /^[a-z]/.test(name);
      return [
        `export const ${name} = [all.${name}].map((one) => one);`,
        isCalled && `export const of_${name} = Reflect.apply(all.${name}, undefined, [] as any);`,
        isCalled && !opaque.test(name) && `export const in_${name} = open(of_${name});`,
      ];
    });
    const open = "declare const open: <T>(value: T) => 'onlyWatches' extends keyof T ? T : { [K in keyof T]: T[K] };";
    const lines = [`import * as all from '${entry}';`, open, ...exported.filter((line) => line !== false)];
    return [`${entry.replaceAll('/', '-')}.ts`, lines.join('\n')];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

/** The costly builtins that each program loads in addition to those of an empty program and of the programs before it. */
async function dearBuiltins(project: InstalledProject, programs: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const printed = await project.run(`
    const known = new Set(process.moduleLoadList);
    const loaded = {};
    const note = (name) => {
      loaded[name] = process.moduleLoadList.filter((one) => !known.has(one));
      for (const one of loaded[name]) known.add(one);
    };
    ${Object.entries(programs)
      .map(([name, program]) => `{ ${program} }\nnote(${JSON.stringify(name)});`)
      .join('\n')}
    console.log(JSON.stringify(loaded));`);
  const dear = (names: readonly string[]): string[] =>
    names
      .map((name) => name.replace(/^(?:NativeModule|Internal Binding) /, ''))
      .filter((name) => /^(?:_?http|https|net$|tls|crypto|internal\/crypto|internal\/deps\/undici)/.test(name));
  return Object.fromEntries(Object.entries(JSON.parse(printed) as Record<string, string[]>).map(([name, names]) => [name, dear(names)]));
}
