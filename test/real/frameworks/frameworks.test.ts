import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { writeFiles } from '../../support/write-files.ts';
import { freePort } from '../../support/free-port.ts';
import { bundle } from '../../support/real/bundle.ts';
import { assertHostAnswers } from '../../support/real/one-connection.ts';
import { needs, partNamed, pathInPart } from '../../support/real/parts.ts';
import { testMadeProject } from '../../support/real/reader/made-project.ts';
import { startProgram } from '../../support/program.ts';
import type { Program } from '../../support/program.ts';

interface Framework {
  readonly name: string;
  readonly part: string;
  readonly path: string;
  /** The files of the project, in addition to `graphql.mjs`, which is a handler with `{ fetch }`. */
  readonly files: Readonly<Record<string, string>>;
  /** The path of the handler's file. */
  readonly handler: string;
  readonly build: readonly string[];
  readonly start: (port: number) => readonly string[];
}

const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    part: 'next',
    path: '/api/graphql',
    handler: 'app/api/graphql/handler.mjs',
    files: {
      'package.json': '{ "private": true, "dependencies": { "next": "*", "react": "*", "react-dom": "*" } }',
      // The packages are in the folder above.
      'next.config.mjs': "import { dirname } from 'node:path';\nexport default { turbopack: { root: dirname(import.meta.dirname) } };",
      'app/layout.js': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }',
      'app/api/graphql/route.js':
        "import server from './handler.mjs';\nconst handler = (request) => server.fetch(request);\nexport { handler as GET, handler as POST, handler as OPTIONS };",
    },
    build: ['next/dist/bin/next', 'build'],
    start: (port) => [pathInPart('next', 'next/dist/bin/next'), 'start', '-p', String(port)],
  },
  {
    name: 'Nitro 3',
    part: 'nitro',
    path: '/graphql',
    handler: 'handler.mjs',
    files: {
      'package.json': '{ "private": true, "type": "module" }',
      'nitro.config.mjs': "export default { compatibilityDate: '2026-11-01' };",
      // The signal of 3.0.0 fires when a body has been read: see docs/platforms.md.
      'routes/graphql.mjs': `import server from '../handler.mjs';
        const withoutSignal = ({ url, method, headers, body }) => new Request(url, { method, headers, body, duplex: 'half' });
        export default { fetch: (request) => server.fetch(withoutSignal(request)) };`,
    },
    build: ['nitro/dist/cli/index.mjs', 'build'],
    start: () => ['.output/server/index.mjs'],
  },
  {
    name: 'SvelteKit',
    part: 'sveltekit',
    path: '/graphql',
    handler: 'src/routes/graphql/handler.mjs',
    files: {
      'package.json': '{ "private": true, "type": "module" }',
      'vite.config.js': `import adapter from '@sveltejs/adapter-node';
        import { sveltekit } from '@sveltejs/kit/vite';
        export default { plugins: [sveltekit({ adapter: adapter() })] };`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/graphql/+server.js': `import server from './handler.mjs';
        export const GET = server.fetch;
        export const POST = GET;
        export const OPTIONS = GET;`,
    },
    build: ['vite/bin/vite.js', 'build'],
    start: () => ['build/index.js'],
  },
];

for (const framework of frameworks) {
  describe(framework.name, needs(framework.part), () => {
    let project: string;
    let program: Program | undefined;
    let port: number;

    before(async () => {
      // The project is within the part's folder, so that its packages are found.
      project = await mkdtemp(join(partNamed(framework.part).folder, 'project-'));
      await bundle('test/support/real/functions/fetch.ts', join(project, framework.handler), 'worker');
      await writeFiles(project, framework.files);
      const [script = '', ...flags] = framework.build;
      const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
      await promisify(execFile)(process.execPath, [pathInPart(framework.part, script), ...flags], { cwd: project, env });
      port = await freePort();
      program = startProgram(process.execPath, [...framework.start(port)], { cwd: project, env: { PORT: String(port) } });
      await program.printed(/Ready|Listening/);
    });
    after(async () => {
      await program?.end();
      await rm(project, { recursive: true, force: true });
    });

    test('answers, and still answers on the same connection after bodies above the limit', (t) =>
      assertHostAnswers(t, `http://127.0.0.1:${port}${framework.path}`));
  });
}

testMadeProject('nextjs');
