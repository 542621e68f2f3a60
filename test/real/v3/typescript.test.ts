import { deepEqual, ok } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runMigrate } from '../../../src/tools/cli/migrate/migrate.ts';
import { handlers } from '../../support/migrate/handlers.ts';
import { runTypeScript } from '../../support/run-typescript.ts';
import { needs, partNamed } from '../../support/real/parts.ts';
import { installOurs } from './answers.ts';

const root = join(import.meta.dirname, '../../..');
const { folder } = partNamed('version-3');

/** A migrated project. */
async function migrated(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typescript-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'node_modules'));
  for (const [file, text] of Object.entries(handlers)) {
    await mkdir(join(directory, 'functions'), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  const silent = { log() {}, error() {} };
  const settings = { name: 'migrate', paths: ['.'], isDryRun: false } as const;
  await runMigrate(settings, directory, silent as never);
  return directory;
}

for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
]) {
  test(
    `the handlers compile under strict TypeScript 5.9 with only their imports changed: ${module}`,
    needs('version-3'),
    async (context) => {
      const directory = await migrated(context);
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
export const handler = server.createHandler();
export const result = server.executeOperation({ query: '{ a }', http: { url: '/', method: 'GET', headers: new Headers() } }, { event: {} });
`;

test(
  'plugins typed with the packages of version 3 are compatible with the server and its contexts',
  needs('version-3'),
  async (context) => {
    const directory = await mkdtemp(join(tmpdir(), 'typescript-'));
    context.after(() => rm(directory, { recursive: true, force: true }));
    installOurs(directory, join(folder, 'node_modules/graphql'));
    for (const name of ['apollo-server-plugin-base', 'apollo-server-types'])
      await symlink(join(folder, 'node_modules', name), join(directory, 'node_modules', name));
    await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      skipLibCheck: true,
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['foreign.ts'] }));
    await writeFile(join(directory, 'foreign.ts'), foreign);

    deepEqual(await runTypeScript(directory, join(folder, 'node_modules/typescript/bin/tsc')), []);
  },
);
