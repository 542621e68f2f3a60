import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import type { Handler } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { codegenProject } from '../../support/real/codegen-project.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';

const root = join(import.meta.dirname, '../../..');

describe('resolvers typed by GraphQL Code Generator', needs('codegen'), () => {
  let folder: string;

  before(async () => {
    // The project is in the checkout, where `graphql-functions` resolves to the built package.
    await mkdir(join(root, '.cache'), { recursive: true });
    folder = await mkdtemp(join(root, '.cache/codegen-'));
    for (const [name, text] of Object.entries(codegenProject)) await writeFile(join(folder, name), text);
    await generate('schema.graphql', 'schema-types.ts', typed);
    await generate('subgraph.graphql', 'subgraph-types.ts', { ...typed, federation: true });
    await generate('schema.graphql', 'untyped-types.ts', { useTypeImports: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const graphql of ['graphql', 'graphql16']) {
    for (const typescript of [join(root, 'node_modules/typescript/bin/tsc'), pathInPart('codegen', 'typescript/bin/tsc')]) {
      for (const exactOptionalPropertyTypes of [true, false]) {
        test(`compile with ${typescript.includes('codegen') ? 'TypeScript 5.9' : 'TypeScript 7'}, ${graphql}, exactOptionalPropertyTypes: ${exactOptionalPropertyTypes}`, async () => {
          const path = pathInPart('codegen', graphql);

          assert.deepEqual(
            await compile(typescript, { exactOptionalPropertyTypes, paths: { graphql: [path], 'graphql/*': [`${path}/*`] } }),
            [],
          );
        });
      }
    }
  }

  test('run, with interfaces, unions, scalars and enums', async () => {
    const { default: handler } = (await import(join(folder, 'schema-function.ts'))) as { default: Handler };
    const { run } = createTester(handler);

    const { data, errors } = await run(
      '{ now node(id: "1") { __typename id } search(text: "2") { __typename ... on Book { title genre } ... on Author { name } } }',
    );

    assert.equal(errors, undefined);
    assert.deepEqual(data, {
      now: '2026-01-01',
      node: { __typename: 'Book', id: '1' },
      search: [
        { __typename: 'Book', title: 'Emma', genre: 'NOVEL' },
        { __typename: 'Author', name: 'Jane Austen' },
      ],
    });
  });

  const typed = {
    contextType: './context.ts#Context',
    mappers: { Book: './context.ts#BookRow' },
    useTypeImports: true,
    enumsAsTypes: true,
  };

  async function generate(schema: string, filename: string, config: object): Promise<void> {
    const load = createRequire(pathInPart('codegen', '.package-lock.json'));
    const { codegen } = load('@graphql-codegen/core');
    const { parse } = load('graphql');
    const pluginMap = { typescript: load('@graphql-codegen/typescript'), resolvers: load('@graphql-codegen/typescript-resolvers') };
    const plugins = [{ typescript: {} }, { resolvers: {} }];
    const text = await codegen({ filename, schema: parse(codegenProject[schema]!), documents: [], pluginMap, plugins, config });
    await writeFile(join(folder, filename), text);
  }

  /** Compiles the project, and returns the error messages of tsc. */
  async function compile(tsc: string, compilerOptions: object): Promise<string[]> {
    const settings = {
      strict: true,
      noUncheckedIndexedAccess: true,
      module: 'nodenext',
      target: 'es2023',
      noEmit: true,
      skipLibCheck: false,
      allowImportingTsExtensions: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      ...compilerOptions,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, include: ['*.ts'] }));
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    return output.split('\n').filter((line) => line !== '');
  }
});
