import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { codeBlocks } from '../../support/markdown.ts';
import { root } from '../../support/pages.ts';

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** Where a page lists names that the source defines: the heading above the table, and how to find the names in the source. */
const tables: readonly [page: string, heading: string, source: string, names: (source: string) => string[]][] = [
  ['plugins', 'Stages', 'src/server/operation/plugin.ts', (source) => membersOf(source, 'ServerPlugin')],
  ['plugins', "Apollo Server's hooks", 'src/server/operation/apollo-hooks.ts', (source) => membersOf(source, 'ApolloHooks')],
  ['plugins', 'Hooks of an operation', 'src/server/operation/apollo-hooks.ts', (source) => membersOf(source, 'GraphQLRequestListener')],
  ['platforms', 'A long-lived Node process', 'src/server/node/listener.ts', (source) => membersOf(source, 'ListenOptions')],
  ['configuration', 'Context and data sources', 'src/server/http/context-argument.ts', (source) => membersOf(source, 'ContextArgument')],
  ['errors', 'Codes', 'src/server/operation/types.ts', codesOf],
  ['explain', 'The report', 'src/tools/explain/report.ts', (source) => membersOf(source, 'ExplainReport')],
  ['explain', 'A call', 'src/tools/explain/report.ts', (source) => membersOf(source, 'ExplainedCall')],
  ['explain', 'Layers', 'src/datasources/call-watch.ts', layersOf],
];

test('the table "Members" of docs/data-sources.md names what RESTDataSource and its hooks have', async () => {
  const listed = namesInTable(await read('docs/data-sources.md'), 'Members');
  const defined = [
    ...membersOfDataSource(await read('src/datasources/rest-hooks.ts')),
    ...membersOfDataSource(await read('src/datasources/rest-data-source.ts')),
  ];

  assert.deepEqual(listed.toSorted(), [...new Set(defined)].toSorted());
});

for (const [page, heading, source, names] of tables) {
  test(`the table "${heading}" of docs/${page}.md names what ${source} has`, async () => {
    const listed = namesInTable(await read(`docs/${page}.md`), heading);
    const defined = names(await read(source));

    assert.deepEqual(listed.toSorted(), [...new Set(defined)].toSorted());
  });
}

for (const [page, language, file] of [
  ['aws', 'yaml', 'template.yaml'],
  ['getting-started', 'toml', 'netlify.toml'],
] as const) {
  test(`the ${language} of docs/${page}.md is a part of ${file}`, async () => {
    // The example of this repository builds the package first.
    const there = new Set(linesOf((await read(file)).replaceAll('npm run build && ', '')));
    const blocks = codeBlocks(await read(`docs/${page}.md`)).filter((block) => block.language === language);
    const lines = blocks.filter(({ notes }) => notes['not in'] !== file).flatMap(({ text }) => linesOf(text));

    assert.ok(lines.length > 0);
    assert.deepEqual(
      lines.filter((line) => !there.has(line)),
      [],
    );
  });
}

test('docs/testing.md names every platform that tests can send as', async () => {
  const page = await read('docs/testing.md');
  const [, union = ''] = /export type PlatformName =([^;]+);/.exec(await read('src/tools/testing/platforms.ts')) ?? [];
  const names = [...union.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name);

  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});

/** The code in the first cells of the table under a heading. */
function namesInTable(page: string, heading: string): string[] {
  const [, section = ''] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const rows = (section.split(/^#/m)[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

function membersOf(source: string, name: string): string[] {
  const [, body = ''] = source.split(new RegExp(`^export interface ${name}\\b.*\\{$`, 'm'));
  return [...(body.split('\n}\n')[0] ?? '').matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member);
}

/** The members without calls, which have a separate section, and with the context, which comes from DataSource. */
function membersOfDataSource(source: string): string[] {
  const [, body = ''] = source.split(/^export abstract class REST\w+\b.*$/m);
  const members = [
    ...(body.split('\n}\n')[0] ?? '').matchAll(/^ {2}(?:protected |override |async )*(?!static\b|constructor\b)([a-z]\w*)[:(<]/gm),
  ];
  const calls = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'fetch']);
  const names = [...membersOf(source, 'RESTHooks'), ...members.map(([, name = '']) => name), 'context'];
  return names.filter((name) => !calls.has(name));
}

/** The codes of the library, and those that the data source assigns to 401 and 403 of a REST API. */
function codesOf(source: string): string[] {
  const [, union = ''] = /export type ErrorCode =([^;]+);/.exec(source) ?? [];
  return [...[...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code), 'UNAUTHENTICATED', 'FORBIDDEN'];
}

/** The outcomes of the cache, and one for no layer. */
function layersOf(source: string): string[] {
  const [, union = ''] = /export type CacheOutcome =([^;]+);/.exec(source) ?? [];
  return [...[...union.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name), 'none'];
}

/** The lines without comments, which differ between files. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
