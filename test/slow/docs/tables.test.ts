import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../../support/pages.ts';

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** Where a page lists names that the source defines: the heading above the table, and how to find the names in the source. */
const tables: readonly [page: string, heading: string, source: string, names: (source: string) => string[]][] = [
  ['plugins', 'Stages', 'src/server/operation/plugin.ts', (source) => membersOf(source, 'ServerPlugin')],
  ['configuration', 'Context and data sources', 'src/server/doors/http-settings.ts', (source) => membersOf(source, 'ContextArgument')],
  ['errors', 'Codes', 'src/server/operation/types.ts', codesOf],
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
