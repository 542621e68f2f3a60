import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { InitPlatform } from '../../../../src/tools/cli/init/compose-project.ts';
import { freePort } from '../../free-port.ts';
import { needs } from '../parts.ts';
import { askNetlify, askSAM } from './ask-deployed.ts';
import { Reader } from './reader.ts';

const answer = '{"data":{"book":{"title":"Emma","published":"1815-12-23","__typename":"Book"}}}';
const otherAnswer = '{"data":{"books":[{"genre":"NOVEL"}]}}';
const deferred = '{"data":{"book":{"title":"Emma","genre":"NOVEL","__typename":"Book"}}}';
const refusal =
  '{"errors":[{"message":"Expected one of the server\'s trusted documents (trustedDocuments), got another document.","extensions":{"code":"BAD_REQUEST"}}]}';

/**
 * Registers a test that creates a project with `init` of the packed package, installs, builds, checks and tests it, and sends an operation
 * of the client by its id, one with `@defer`, and another one, to its development server and to what it deploys. Only in development, the
 * last one runs, and a browser gets the playground.
 */
export function testMadeProject(platform: InitPlatform, ...parts: string[]): void {
  const name = `the project that init makes for ${platform} installs, passes its checks, builds and answers only the operations of clients`;
  test(name, { ...needs(...parts), timeout: 300_000 }, async (t) => {
    const reader = await Reader.start(t);
    await reader.run(`npx graphql-functions init --platform ${platform}`);
    await reader.run('npm install');
    await useExtensions(reader);
    // The build comes first, as on a platform that has cloned a repository without generated files.
    await reader.run('npm run build --if-present');
    await reader.run('npm run check');
    await reader.run('npm test');
    const requests = [
      { documentId: await idOf('Book', reader), variables: { id: 'emma' } },
      { documentId: await idOf('Later', reader) },
      { query: '{ books(first: 1) { genre } }' },
    ];
    const inDevelopment = await serve[platform](reader, requests);
    const page = await reader.run(`curl http://localhost:8888${paths[platform] ?? '/graphql'} -H 'accept: text/html'`);
    const answers = [...inDevelopment, ...(await deployed[platform](reader, requests))];
    await reader.write('operations/new.graphql', 'query New { books { genre } }\n');
    const missing = await reader.run('npm run check').then(() => 'nothing is missing', String);

    assert.deepEqual(answers, [answer, deferred, otherAnswer, answer, deferred, refusal], reader.transcript);
    assert.match(page, /<title>GraphQL playground/);
    assert.match(missing, /operations\/new\.graphql:1:1 The operation New is not in documents\/documents\.json: production refuses it\./);
  });
}

/** Uses a directive of an extension in the schema, and one of incremental delivery in an operation, as their pages say. */
async function useExtensions(reader: Reader): Promise<void> {
  const change = async (path: string, ...changes: readonly (readonly [from: string, to: string])[]): Promise<void> => {
    const text = await readFile(join(reader.folder, path), 'utf8');
    await reader.write(
      path,
      changes.reduce((changed, [from, to]) => changed.replace(from, to), text),
    );
  };
  await change('graphql/schema.ts', ['book(id: ID!): Book', 'book(id: ID!): Book @cacheControl(maxAge: 60)']);
  await change(
    'graphql/options.ts',
    [
      'import { limits }',
      "import { cacheControlDefinitions } from 'graphql-functions/edge';\nimport { incrementalDelivery } from 'graphql-functions/incremental';\nimport { limits }",
    ],
    ['  typeDefs,', '  typeDefs: [cacheControlDefinitions, typeDefs],\n  incrementalDelivery: incrementalDelivery(),'],
  );
  await reader.write(
    'operations/later.graphql',
    'query Later { book(id: "emma") { title ...Rest @defer } }\nfragment Rest on Book { genre }\n',
  );
  await reader.run('npm run documents');
}

/**
 * Creates a subgraph for Node with `init`, tests it, and sends requests to the result of its build: as the router, then without its
 * secret. Returns the bodies of the answers.
 */
export async function useSubgraph(
  t: TestContext,
  requests: readonly object[],
): Promise<{ readonly asRouter: string[]; readonly others: string[] }> {
  const reader = await Reader.start(t);
  await reader.run('npx graphql-functions init --platform node --subgraph');
  for (const command of ['npm install', 'npm run build', 'npm run check', 'npm test']) await reader.run(command);
  await reader.serve(`ROUTER_SECRET=secret PORT=${await freePort()} npm start`, /GraphQL at/);
  return {
    asRouter: await post(reader, '/graphql', requests, "-H 'x-router-secret: secret'"),
    others: await post(reader, '/graphql', requests),
  };
}

async function idOf(name: string, { folder }: Reader): Promise<string> {
  const ids = await readFile(join(folder, 'documents/ids.ts'), 'utf8');
  return new RegExp(`${name}: '(\\w+)'`).exec(ids)?.[1] ?? '';
}

type Ask = (reader: Reader, requests: readonly object[]) => Promise<string[]>;

/** Where the development server answers, unless at /graphql. */
const paths: Readonly<Partial<Record<InitPlatform, string>>> = { netlify: '/.netlify/functions/graphql', nextjs: '/api/graphql' };

/** The development server of each platform. */
const serve: Readonly<Record<InitPlatform, Ask>> = {
  netlify: askServer(async () => ({ command: 'npm run dev -- --port 0', ready: /Ctrl\+C/, path: paths.netlify! })),
  lambda: askServer(async () => ({ command: 'npm run dev -- --port 0', ready: /Ctrl\+C/ })),
  workers: askServer(async () => ({ command: `npm run dev -- --port ${await freePort()}`, ready: /Ready on/ })),
  nextjs: askServer(async () => ({ command: `npm run dev -- --port ${await freePort()}`, ready: /Ready in/, path: paths.nextjs! })),
  node: askServer(async () => ({ command: `PORT=${await freePort()} npm run dev`, ready: /GraphQL at/ })),
  hono: askServer(async () => ({ command: `PORT=${await freePort()} npm run dev`, ready: /GraphQL at/ })),
  deno: askServer(async () => ({ command: `DENO_SERVE_ADDRESS=tcp:127.0.0.1:${await freePort()} npm run dev`, ready: /Listening on/ })),
};

/** Runs the output of `npm run build` in the runtime of each platform. */
const deployed: Readonly<Record<InitPlatform, Ask>> = {
  netlify: askNetlify,
  lambda: askSAM,
  workers: askServer(async () => ({ command: `npx wrangler dev dist/index.js --no-bundle --port ${await freePort()}`, ready: /Ready on/ })),
  nextjs: askServer(async () => ({ command: `npm start -- --port ${await freePort()}`, ready: /Ready in/, path: paths.nextjs! })),
  node: askServer(async () => ({ command: `PORT=${await freePort()} npm start`, ready: /GraphQL at/ })),
  hono: askServer(async () => ({ command: `PORT=${await freePort()} npm start`, ready: /GraphQL at/ })),
  deno: askServer(async () => ({ command: `DENO_SERVE_ADDRESS=tcp:127.0.0.1:${await freePort()} npm start`, ready: /Listening on/ })),
};

interface Server {
  readonly command: string;
  /** The text that it prints when it is ready. */
  readonly ready: RegExp;
  /** Default: /graphql. */
  readonly path?: string;
}

function askServer(server: () => Promise<Server>): Ask {
  return async (reader, requests) => {
    const { command, ready, path = '/graphql' } = await server();
    await reader.serve(command, ready);
    return post(reader, path, requests);
  };
}

/** Sends requests to the server that is running. */
async function post(reader: Reader, path: string, requests: readonly object[], flags = ''): Promise<string[]> {
  const answers: string[] = [];
  for (const body of requests) {
    const curl = `curl http://localhost:8888${path} ${flags} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
    answers.push((await reader.run(curl)).trim());
  }
  return answers;
}
