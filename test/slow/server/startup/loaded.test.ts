import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** Every value but the last counts as production. The last one is tested last, because the modules that it loads stay loaded in the process. */
const nodeEnvs = [undefined, '', 'production', 'test', 'Development', 'development ', 'development'];

const events = `
  const requestContext = (method) => ({ http: { method, path: '/graphql' }, domainName: 'example.com', stage: '$default' });
  const event = { version: '2.0', rawPath: '/graphql', rawQueryString: '' };
  const page = { ...event, headers: { accept: 'text/html,*/*;q=0.8' }, requestContext: requestContext('GET') };
  const post = { ...event, headers: { 'content-type': 'application/json' }, requestContext: requestContext('POST'), body: '{"query":"{ hello }"}' };
  const explained = { ...post, headers: { ...post.headers, 'graphql-functions-explain': '1' } };
`;

/** Requests the page as a browser does, and an explanation, with each NODE_ENV. Prints the answers, and the modules that were loaded for each. */
const program = `
  import { registerHooks } from 'node:module';
  let loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const { createHandler } = await import(process.env.ENTRY);
  const ofEntry = loaded;
  const outcomes = [];
  ${events}
  for (const nodeEnv of ${JSON.stringify(nodeEnvs.map((nodeEnv) => nodeEnv ?? null))}) {
    if (nodeEnv === null) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = nodeEnv;
    const handler = createHandler({ csrfPrevention: true, typeDefs: 'type Query { hello: String }' });
    const ask = async (event) => {
      loaded = [];
      const { statusCode, headers, body } = await handler(event, {});
      return { statusCode, type: headers['content-type'], isPlayground: body.includes('playground'), isExplained: body.includes('"explain"'), loaded };
    };
    outcomes.push({ page: await ask(page), post: await ask(post), explained: await ask(explained) });
  }
  console.log(JSON.stringify({ ofEntry, outcomes }));
`;

/** The answer to a request, with the URLs of the modules that were loaded for it. */
type Answer = Readonly<Record<'isPlayground' | 'isExplained', boolean>> & {
  readonly statusCode: number;
  readonly type: string;
  readonly loaded: string[];
};

type Outcome = Readonly<Record<'page' | 'post' | 'explained', Answer>>;

const ofTools = (loaded: readonly string[]): string[] =>
  loaded.filter((url) => /src\/(?:entries|tools)\/(?:landing-page|explain)[/.]/.test(url)).map((url) => url.replace(/.*\/src\//, ''));

describe('tools for development', () => {
  let ofEntry: readonly string[];
  let outcomes: readonly Outcome[];
  before(async () => {
    const { NODE_ENV: _, NODE_TEST_CONTEXT: __, ...environment } = process.env;
    const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
      cwd: root,
      env: { ...environment, ENTRY: join(root, 'src/entries/index.ts') },
    });
    ({ ofEntry, outcomes } = JSON.parse(stdout) as { ofEntry: readonly string[]; outcomes: readonly Outcome[] });
  });

  test('are not loaded with the entry', () => {
    assert.ok(ofEntry.length > 50);
    assert.deepEqual(ofTools(ofEntry), []);
  });

  test('are never loaded with another NODE_ENV than development, and a browser gets the usual error', () => {
    for (const [at, { page, post, explained }] of outcomes.slice(0, -1).entries()) {
      assert.deepEqual([page.statusCode, page.isPlayground, explained.isExplained], [422, false, false], nodeEnvs[at]);
      assert.match(page.type, /json/);
      assert.deepEqual(ofTools([page, post, explained].flatMap(({ loaded }) => loaded)), [], nodeEnvs[at]);
    }
  });

  test('are each loaded in development with the first request that needs them', () => {
    const { page, post, explained } = outcomes.at(-1)!;

    assert.deepEqual([page.statusCode, page.isPlayground, explained.isExplained], [200, true, true]);
    assert.ok(ofTools(page.loaded).includes('tools/landing-page/html.ts'), String(ofTools(page.loaded)));
    assert.deepEqual(ofTools(post.loaded), []);
    assert.ok(ofTools(explained.loaded).length > 3, String(ofTools(explained.loaded)));
  });
});

for (const format of ['cjs', 'esm'] as const) {
  test(`in a bundle (${format}, no splitting), the playground and the explanations are found next to it, not in it`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tools-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const outfile = join(folder, `bundle.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const { metafile } = await build({
      stdin: {
        contents: `
            import { createHandler } from ${JSON.stringify(join(root, 'src/entries/index.ts'))};
            const handler = createHandler({
              csrfPrevention: true,
              typeDefs: 'type Query { hello: String }',
              resolvers: { Query: { hello: () => 'world' } },
            });
            ${events}
            const answers = [handler(page, {}), handler(explained, {})];
            Promise.all(answers).then(([{ statusCode, body }, answer]) => {
              const { data, extensions } = JSON.parse(answer.body);
              console.log(statusCode, /<title>GraphQL (\\w+)/.exec(body)?.[1]);
              console.log(data.hello, extensions.explain.calls.length);
            });
          `,
        resolveDir: root,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format,
      metafile: true,
      logLevel: 'silent',
    });

    const { stdout } = await run(process.execPath, [outfile], { cwd: root, env: { ...process.env, NODE_ENV: 'development' } });

    assert.equal(stdout, '200 playground\nworld 0\n');
    const inputs = Object.keys(metafile.inputs);
    assert.deepEqual(
      inputs.filter((path) => /graphiql|monaco|react|\.gz$|landing-page|src\/(?:entries|tools)\/explain[/.]/.test(path)),
      [],
    );
  });
}
