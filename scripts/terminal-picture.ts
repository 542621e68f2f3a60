/**
 * Draws the output of `graphql-functions dev` and `check` for a broken schema, as docs/figures/dev.svg and check.svg: `npm run docs`,
 * after a build. The text comes from real runs in a temporary folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const broken = `import { createHandler, gql } from 'graphql-functions';

export default createHandler({
  csrfPrevention: true,
  typeDefs: gql\`
    type Query {
      books: [Bok!]!
    }

    type Book {
      title: String!
    }
  \`,
  resolvers: { Query: { books: () => [] } },
});
`;

const operations = `query Books {
  books {
    title
    year
  }
}
`;

/** What a command prints of the project: \`dev\` until it serves, \`check\` to its end. */
async function runIn(files: Readonly<Record<string, string>>, ...command: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'picture-'));
  try {
    for (const name of ['functions', 'src']) await mkdir(join(folder, name));
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules/graphql-functions'));
    await symlink(join(root, 'node_modules/graphql'), join(folder, 'node_modules/graphql'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { NODE_ENV: _, ...environment } = process.env;
    const argv = [join(root, 'dist/esm/cli/main.js'), ...command];
    const child = spawn(process.execPath, argv, { cwd: folder, env: { ...environment, NO_COLOR: '1' }, timeout: 20_000 });
    let text = '';
    // Problems are on stdout of `check`, and on stderr of `dev`.
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += command[0] === 'dev' ? '' : chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (command[0] === 'dev' && text.includes('|   ') && text.includes('^')) child.kill();
    });
    await once(child, 'close');
    return text.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const lineHeight = 20;
const columns = 84;

function draw(lines: readonly string[]): string {
  const height = lines.length * lineHeight + 32;
  const width = columns * 8.4 + 32;
  const rows = lines.map((line, at) => {
    const y = 32 + at * lineHeight;
    return `<text x="16" y="${y}" fill="${colorOf(line)}" xml:space="preserve">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${height}" role="img" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title>${escaped(lines.join(' ').replaceAll(/\s+/g, ' '))}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#161b22"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function colorOf(line: string): string {
  if (line.startsWith('$')) return '#f0f6fc';
  if (line.includes('cannot run') || line.includes('^') || /^\d+ problem/.test(line)) return '#ff7b72';
  if (line.trimStart().startsWith('>') || /^\S+:\d+:\d+ /.test(line)) return '#f0f6fc';
  return '#9198a1';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const mended = broken.replace('[Bok!]!', '[Book!]!');
const [dev, check] = await Promise.all([
  runIn({ 'functions/graphql.ts': broken }, 'dev', '--port', '0'),
  runIn({ 'functions/graphql.ts': mended, 'src/books.graphql': operations }, 'check', 'src/**/*.graphql'),
]);
await mkdir(join(root, 'docs/figures'), { recursive: true });
await writeFile(join(root, 'docs/figures/dev.svg'), draw(['$ npx graphql-functions dev', ...dev.split('\n')]));
await writeFile(join(root, 'docs/figures/check.svg'), draw(["$ npx graphql-functions check 'src/**/*.graphql'", ...check.split('\n')]));
