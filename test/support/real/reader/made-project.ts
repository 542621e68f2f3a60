import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { InitPlatform } from '../../../../src/tools/cli/init/compose-project.ts';
import { freePort } from '../../free-port.ts';
import { askNetlify, askSAM } from './ask-deployed.ts';
import { Reader } from './reader.ts';

/** The results of using a project that `init` has created. */
export interface UsedProject {
  /**
   * The bodies of the answers: of the development server to the client's operation by its id and to another operation, and of the
   * deployed function to the same two.
   */
  readonly answers: readonly string[];
  /** What `npm run check` prints when the client has an operation that is not in the manifest. */
  readonly missing: string;
  readonly transcript: string;
}

const answer = '{"data":{"book":{"title":"Emma","published":"1815-12-23","__typename":"Book"}}}';
const otherAnswer = '{"data":{"books":[{"genre":"NOVEL"}]}}';
const refusal =
  '{"errors":[{"message":"Expected one of the server\'s trusted documents (trustedDocuments), got another document.","extensions":{"code":"BAD_REQUEST"}}]}';

/** The answers of every project of `init`: only in development, operations run that are not the client's. */
export const expectedAnswers = [answer, otherAnswer, answer, refusal];

/** What `npm run check` prints about the missing operation. */
export const expectedMissing =
  /operations\/new\.graphql:1:1 The operation New is not in documents\/documents\.json: production refuses it\./;

/** Creates a project with `init` of the packed package, installs, builds, checks and tests it, and sends it operations. */
export async function useProject(platform: InitPlatform): Promise<UsedProject> {
  const reader = await Reader.start();
  try {
    await reader.run(`npx graphql-functions init --platform ${platform}`);
    await reader.run('npm install');
    // The build comes first, as on a platform that has cloned a repository without generated files.
    await reader.run('npm run build --if-present');
    await reader.run('npm run check');
    await reader.run('npm test');
    const requests = [{ documentId: await idOf('Book', reader), variables: { id: 'emma' } }, { query: '{ books(first: 1) { genre } }' }];
    const answers = [...(await serve[platform](reader, requests)), ...(await deployed[platform](reader, requests))];
    await reader.write('operations/new.graphql', 'query New { books { genre } }\n');
    const missing = await reader.run('npm run check').then(() => 'nothing is missing', String);
    return { answers, missing, transcript: `${reader.transcript}(What it deploys answers:)\n${answers.slice(2).join('\n')}\n` };
  } finally {
    await reader.remove();
  }
}

/**
 * Creates a subgraph for Node with `init`, tests it, and sends requests to the result of its build: as the router, then without its
 * secret. Returns the bodies of the answers.
 */
export async function useSubgraph(requests: readonly object[]): Promise<{ readonly asRouter: string[]; readonly others: string[] }> {
  const reader = await Reader.start();
  try {
    await reader.run('npx graphql-functions init --platform node --subgraph');
    for (const command of ['npm install', 'npm run build', 'npm run check', 'npm test']) await reader.run(command);
    await reader.serve(`ROUTER_SECRET=secret PORT=${await freePort()} npm start`, /GraphQL at/);
    return {
      asRouter: await post(reader, '/graphql', requests, "-H 'x-router-secret: secret'"),
      others: await post(reader, '/graphql', requests),
    };
  } finally {
    await reader.remove();
  }
}

async function idOf(name: string, { folder }: Reader): Promise<string> {
  const ids = await readFile(join(folder, 'documents/ids.ts'), 'utf8');
  return new RegExp(`${name}: '(\\w+)'`).exec(ids)?.[1] ?? '';
}

type Ask = (reader: Reader, requests: readonly object[]) => Promise<string[]>;

/** The development server of each platform. */
const serve: Readonly<Record<InitPlatform, Ask>> = {
  netlify: askServer(async () => ({ command: 'npm run dev -- --port 0', ready: /Ctrl\+C/, path: devPath })),
  lambda: askServer(async () => ({ command: 'npm run dev -- --port 0', ready: /Ctrl\+C/ })),
  workers: askServer(async () => ({ command: `npm run dev -- --port ${await freePort()}`, ready: /Ready on/ })),
  nextjs: askServer(async () => ({ command: `npm run dev -- --port ${await freePort()}`, ready: /Ready in/, path: '/api/graphql' })),
  node: askServer(async () => ({ command: `PORT=${await freePort()} npm run dev`, ready: /GraphQL at/ })),
  hono: askServer(async () => ({ command: `PORT=${await freePort()} npm run dev`, ready: /GraphQL at/ })),
  deno: askServer(async () => ({ command: `DENO_SERVE_ADDRESS=tcp:127.0.0.1:${await freePort()} npm run dev`, ready: /Listening on/ })),
};

const devPath = '/.netlify/functions/graphql';

/** Runs the output of `npm run build` in the runtime of each platform. */
const deployed: Readonly<Record<InitPlatform, Ask>> = {
  netlify: ({ folder }, requests) => askNetlify(folder, requests),
  lambda: ({ folder }, requests) => askSAM(folder, requests),
  workers: askServer(async () => ({ command: `npx wrangler dev dist/index.js --no-bundle --port ${await freePort()}`, ready: /Ready on/ })),
  nextjs: askServer(async () => ({ command: `npm start -- --port ${await freePort()}`, ready: /Ready in/, path: '/api/graphql' })),
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
