import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runMigrate } from '../../../src/cli/migrate/migrate.ts';
import { findParser } from '../../../src/cli/migrate/parser.ts';
import { handlers } from '../../cli/migrate/handlers.ts';
import { runTypeScript } from '../../support/run-typescript.ts';
import { needs, partNamed } from '../parts.ts';
import { installOurs } from './answers.ts';

const root = join(import.meta.dirname, '../../..');
const { folder } = partNamed('version-3');

/** A project that has TypeScript 5.9 and no other parser, and another that has Babel's. */
async function migrated(
  context: TestContext,
  parser: 'typescript' | '@babel/parser',
): Promise<{ directory: string; texts: Record<string, string> }> {
  const directory = await mkdtemp(join(tmpdir(), 'typescript-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'node_modules', dirname(parser)), { recursive: true });
  const from = parser === 'typescript' ? join(folder, 'node_modules') : join(root, 'node_modules');
  await symlink(join(from, parser), join(directory, 'node_modules', parser));
  for (const [file, text] of Object.entries(handlers)) {
    await mkdir(join(directory, 'functions'), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  equal(findParser(directory).name, parser);
  const silent = { log() {}, error() {} };
  await runMigrate({ name: 'migrate', paths: ['.'], modern: false, isDryRun: false }, directory, silent as never);
  const files = Object.keys(handlers);
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  return { directory, texts: Object.fromEntries(files.map((file, at) => [file, texts[at]!])) };
}

test("TypeScript 5.9's parser leads to the same files as Babel's", needs('version-3'), async (context) => {
  const byTypeScript = await migrated(context, 'typescript');
  const byBabel = await migrated(context, '@babel/parser');

  deepEqual(byTypeScript.texts, byBabel.texts);
});

// `node` is what "module": "commonjs" meant to projects of version 3.
for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['commonjs', 'node'],
]) {
  test(
    `the handlers compile under strict TypeScript 5.9 with only their imports changed: ${module}`,
    needs('version-3'),
    async (context) => {
      const { directory } = await migrated(context, 'typescript');
      for (const name of ['graphql-functions', 'graphql', '@types'])
        await symlink(name === 'graphql-functions' ? root : join(root, 'node_modules', name), join(directory, 'node_modules', name));
      const typed = Object.keys(handlers).filter((file) => basename(file).startsWith('typed-'));
      ok(typed.length >= 5);
      const compilerOptions = {
        strict: true,
        noImplicitOverride: true,
        noEmit: true,
        module,
        moduleResolution,
        target: 'es2023',
        skipLibCheck: true,
        types: ['node'],
      };
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: typed }));

      deepEqual(await runTypeScript(directory, join(folder, 'node_modules/typescript/bin/tsc')), []);
    },
  );
}

/** Packages such as apollo-server-plugin-response-cache are typed with apollo-server-plugin-base, and are passed to the server here. */
const foreign = `
import type { ApolloServerPlugin as ForeignPlugin } from 'apollo-server-plugin-base';
import type { GraphQLRequestContext as ForeignContext, Logger } from 'apollo-server-types';
import { ApolloServer } from 'graphql-functions/v3';
import type { ApolloServerPlugin, Config, GraphQLRequestContext, GraphQLRequestListener } from 'graphql-functions/v3/core';

interface Mine { user?: string }
declare const plugin: ForeignPlugin;
declare const typed: ForeignPlugin<Mine>;
declare const logger: Logger;
declare function forForeign(context: ForeignContext<Mine>): void;

class Own implements ApolloServerPlugin<Mine> {
  async requestDidStart(context: GraphQLRequestContext<Mine>): Promise<GraphQLRequestListener<Mine>> {
    forForeign(context);
    return {
      async willSendResponse({ source, response, errors }) {
        source.length;
        response.http?.headers.set('x-user', context.context.user ?? '');
        errors?.[0]?.extensions.exception?.stacktrace?.join();
      },
      async hookOfALaterVersion(name: string) {
        name.length;
      },
    };
  }
}

const config: Config = { typeDefs: 'type Query { a: String }', plugins: [plugin, typed, new Own(), () => plugin], logger };
const server = new ApolloServer({ ...config, context: async ({ event, context, express }) => ({ event, id: context.awsRequestId, ip: express.req.ip }) });
export const handler = server.createHandler({ expressAppFromMiddleware: (middleware) => middleware });
export const result = server.executeOperation({ query: '{ a }', http: { url: '/', method: 'GET', headers: new Headers() } }, { event: {} });
`;

test('plugins that are typed with the packages of version 3 fit the server, and contexts fit them', needs('version-3'), async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'typescript-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  installOurs(directory, join(folder, 'node_modules/graphql'));
  for (const name of ['apollo-server-plugin-base', 'apollo-server-types'])
    await symlink(join(folder, 'node_modules', name), join(directory, 'node_modules', name));
  await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'commonjs',
    moduleResolution: 'node',
    target: 'es2023',
    skipLibCheck: true,
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['foreign.ts'] }));
  await writeFile(join(directory, 'foreign.ts'), foreign);

  deepEqual(await runTypeScript(directory, join(folder, 'node_modules/typescript/bin/tsc')), []);
});
