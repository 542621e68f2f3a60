import type { InitPlatform } from '../../../src/tools/cli/init/compose-project.ts';
import { freePort } from '../../support/free-port.ts';
import { askNetlify, askSAM } from './ask-deployed.ts';
import { Reader } from './reader.ts';

/** The results of using a project that `init` has created. */
export interface UsedProject {
  /** The bodies of the answers to `query` from its development server and its deployed function. */
  readonly answers: readonly string[];
  readonly transcript: string;
}

const query = '{ book(id: "emma") { title year } }';

/** The answer of every project of `init` to `query`. */
export const expectedAnswer = '{"data":{"book":{"title":"Emma","year":1815}}}';

/** Creates a project with `init` of the packed package, installs, builds, checks and tests it, and sends it a query. */
export async function useProject(platform: InitPlatform, flags: string): Promise<UsedProject> {
  const reader = await Reader.start();
  try {
    await reader.run(`npx graphql-functions init --platform ${platform} ${flags}`.trim());
    await reader.run('npm install');
    // The build comes first, as on a platform that has cloned a repository without generated files.
    await reader.run('npm run build');
    await reader.run('npm run check');
    if (flags.includes('--tests')) await reader.run('npm test');
    const answers = [await serve[platform](reader), await deployed[platform](reader)];
    return { answers, transcript: `${reader.transcript}(What it deploys answers:)\n${answers[1]}\n` };
  } finally {
    await reader.remove();
  }
}

type Ask = (reader: Reader) => Promise<string>;

/** The development server of each platform. */
const serve: Readonly<Record<InitPlatform, Ask>> = {
  netlify: (reader) => askServer(reader, { command: 'npm run dev -- --port 0', ready: /Ctrl\+C/, path: devPath }),
  lambda: (reader) => askServer(reader, { command: 'npm run dev -- --port 0', ready: /Ctrl\+C/, path: devPath }),
  workers: async (reader) => askServer(reader, { command: `npm run dev -- --port ${await freePort()}`, ready: /Ready on/ }),
  nextjs: async (reader) =>
    askServer(reader, { command: `npm run dev -- --port ${await freePort()}`, ready: /Ready in/, path: '/api/graphql' }),
  node: async (reader) => askServer(reader, { command: `PORT=${await freePort()} npm run dev`, ready: /GraphQL at/ }),
};

const devPath = '/.netlify/functions/graphql';

/** Runs the output of `npm run build` in the runtime of each platform. */
const deployed: Readonly<Record<InitPlatform, Ask>> = {
  netlify: ({ folder }) => askNetlify(folder, query),
  lambda: ({ folder }) => askSAM(folder, query),
  workers: async (reader) =>
    askServer(reader, { command: `npx wrangler dev dist/index.js --no-bundle --port ${await freePort()}`, ready: /Ready on/ }),
  nextjs: async (reader) =>
    askServer(reader, { command: `npm start -- --port ${await freePort()}`, ready: /Ready in/, path: '/api/graphql' }),
  node: async (reader) => askServer(reader, { command: `PORT=${await freePort()} npm start`, ready: /GraphQL at/ }),
};

interface Server {
  readonly command: string;
  /** The text that it prints when it is ready. */
  readonly ready: RegExp;
  /** Default: /graphql. */
  readonly path?: string;
}

async function askServer(reader: Reader, { command, ready, path = '/graphql' }: Server): Promise<string> {
  await reader.serve(command, ready);
  const body = JSON.stringify({ query });
  return (await reader.run(`curl http://localhost:8888${path} -H 'content-type: application/json' -d '${body}'`)).trim();
}
