import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { cyclesIn, dependenciesOf, folderOf, importsOf, isInternal, readSources } from '../../scripts/structure.ts';
import type { Import } from '../../scripts/structure.ts';

/** The folders of src/, and the folders that each can import. */
const folders: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  datasources: ['shared'],
  executor: ['shared'],
  server: ['executor', 'datasources', 'shared'],
  extensions: ['server', 'executor', 'datasources', 'shared'],
  tools: ['extensions', 'server', 'executor', 'datasources', 'shared'],
  v3: ['extensions', 'server', 'executor', 'datasources', 'shared'],
  entries: ['v3', 'tools', 'extensions', 'server', 'executor', 'datasources', 'shared'],
};

/** The folders within `server` and `executor`, and what each can import beside itself: a neighbor, or a file above them, with its name. */
const parts: Readonly<Record<string, readonly string[]>> = {
  'executor/schema': ['executor/batch-mark.ts', 'executor/graphql-version.ts'],
  'executor/validation': ['executor/built-in-scalars.ts', 'executor/graphql-version.ts'],
  'executor/plan': ['executor/run', 'executor/built-in-scalars.ts', 'executor/costs.ts', 'executor/graphql-version.ts'],
  'executor/run': [
    'executor/plan',
    'executor/batch-mark.ts',
    'executor/built-in-scalars.ts',
    'executor/budget.ts',
    'executor/costs.ts',
    'executor/graphql-version.ts',
  ],
  'executor/parts': ['executor/plan', 'executor/run', 'executor/costs.ts', 'executor/execute.ts'],
  'server/platform': [],
  'server/operation': [],
  'server/doors': ['server/operation', 'server/call.ts'],
  'server/startup': ['server/doors', 'server/operation'],
  'server/node': ['server/startup', 'server/doors', 'server/operation', 'server/platform', 'server/call.ts', 'server/pipeline.ts'],
};

/** The packages that a folder can import; `type:` marks those of which it can import only types. `tools` can import any. */
const packages: Readonly<Record<string, readonly string[]>> = {
  shared: ['graphql'],
  datasources: ['graphql', 'type:keyv'],
  executor: ['graphql'],
  server: ['graphql', 'type:aws-lambda', 'type:node:http'],
  'server/node': ['graphql', 'node:http', 'node:events', 'node:net', 'node:process', 'node:stream', 'type:node:http2', 'node:util'],
  extensions: ['graphql', '@opentelemetry/api'],
  v3: ['graphql', 'type:aws-lambda', 'type:node:http'],
  entries: ['graphql', 'type:aws-lambda', 'type:graphql'],
};

const sources = readSources();
const files = sources.map(({ path }) => path);
const imports = sources.flatMap((file) => file.imports);

test('src/ has the folders of the table, and no file next to them', () => {
  deepEqual([...new Set(files.map((file) => folderOf(file)))].toSorted(), Object.keys(folders).toSorted());
});

test('each subpath of package.json has one file in src/entries/', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== './package.json');

  deepEqual(
    files.filter((file) => file.startsWith('entries/')).toSorted(),
    subpaths.map((subpath) => (subpath === '.' ? 'entries/index.ts' : `entries/${subpath.slice(2)}.ts`)).toSorted(),
  );
});

test('a folder imports only from folders below it', () => {
  const upward = imports.filter(isInternal).filter(({ from, to }) => !isBelow(folders, folderOf(from), folderOf(to)));

  deepEqual(upward.map(describe), []);
});

test('within server and executor, a folder imports only from folders below it, and a file above them not from server/node', () => {
  const upward = imports
    .filter(isInternal)
    .filter(({ from, to }) => folderOf(from) === folderOf(to) && ['server', 'executor'].includes(folderOf(from)))
    .filter(({ from, to }) => (partOf(from) in parts ? !isBelow(parts, partOf(from), partOf(to)) : partOf(to) === 'server/node'));

  deepEqual(upward.map(describe), []);
});

test('each folder within server and executor has a row, and each row names folders and files that exist', () => {
  const folderParts = new Set(files.filter((file) => file.split('/').length > 2).map(partOf));
  const named = Object.entries(parts).flat(2);

  deepEqual([...folderParts].filter((part) => /^(?:server|executor)\//.test(part)).toSorted(), Object.keys(parts).toSorted());
  deepEqual(
    named.filter((part) => !folderParts.has(part) && !files.includes(part)),
    [],
  );
  deepEqual(
    secondDoors.filter((file) => !files.includes(file)),
    [],
  );
});

test('ARCHITECTURE.md names every index file that is not the one of its folder', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');

  deepEqual(
    secondDoors.filter((file) => !page.includes(`\`${file}\``)),
    [],
  );
});

test('imports between folders go through their doors', () => {
  const around = imports
    .filter(isInternal)
    .filter(({ from, to }) => unitOf(from) !== unitOf(to) && !isDoor(to))
    // Each of version 3's packages has an entry, which imports the files of its part.
    .filter(({ from, to }) => !(folderOf(from) === 'entries' && folderOf(to) === 'v3'));

  deepEqual(around.map(describe), []);
});

test('what tools take of the server beside types is in server/for-tools.ts, which no other folder imports', () => {
  const taken = valuesThat('tools', 'server');

  deepEqual(taken.filter(({ to }) => to !== 'server/for-tools.ts' && to !== 'server/node/index.ts').map(describe), []);
  deepEqual(importersOf('server/for-tools.ts'), ['tools']);
});

/**
 * `subgraph` finds the definitions in the text of a schema as the server does: to parse 3,000 types takes a cold process 97 ms, and 200 types
 * 7 ms, more than everything else that `subgraph` does. Its resolver maps mean what they mean to the server.
 */
const ofSubgraph: readonly string[] = ['definitionsIn', 'sourcesOf', 'MergedResolvers'];

test('a value of server or executor that an extension imports is exported by an entry, too', () => {
  const published = new Set(imports.filter(({ from, typeOnly }) => folderOf(from) === 'entries' && !typeOnly).flatMap(namesOf));
  const taken = ['server', 'executor'].flatMap((folder) => valuesThat('extensions', folder));

  deepEqual(
    taken.flatMap((one) =>
      namesOf(one)
        .filter((name) => !published.has(name) && !(partOf(one.from) === 'extensions/subgraph' && ofSubgraph.includes(name)))
        .map((name) => `${describe(one)}: ${name}`),
    ),
    [],
  );
});

/** The names in `{ a, b as c }`, as the imported file exports them. */
function namesOf({ names }: Import): readonly string[] {
  return names
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim().split(' as ')[0]!)
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function valuesThat(folder: string, other: string): readonly Import[] {
  return imports.filter(({ from, to, typeOnly }) => folderOf(from) === folder && folderOf(to) === other && !typeOnly);
}

function importersOf(file: string): readonly string[] {
  return [...new Set(imports.filter(({ to }) => to === file).map(({ from }) => folderOf(from)))];
}

test('a folder imports only its packages', () => {
  const foreign = imports
    .filter((one) => !isInternal(one) && folderOf(one.from) !== 'tools')
    .filter(({ from, to, typeOnly }) => !allows(packages[partOf(from)] ?? packages[folderOf(from)] ?? [], to, typeOnly));

  deepEqual(foreign.map(describe), []);
});

test('platform adapters import only GraphQLError from graphql', () => {
  const known = imports.filter(({ from, to }) => partOf(from) === 'server/platform' && to === 'graphql').map(({ names }) => names);

  deepEqual([...new Set(known)], ['{ GraphQLError }']);
});

test('no function literal is assigned to a property, because V8 would keep all that it refers to until a full collection', () => {
  // As an argument, or as a constant of its own, it dies with its request: see callWhenFinished in executor/run/part.ts.
  const assigned = sources
    .filter(({ path }) => folderOf(path) !== 'tools')
    .flatMap(({ path, text }) => assignedFunctions(text).map((found) => `${path}: ${found}`));

  deepEqual(assigned, []);
});

test('the search for assigned function literals finds every form', () => {
  const forms = [
    'a.b = () => 1',
    'if (a) b.c = () => 1',
    'a.#b = async (c) => c',
    'a[b] = c => c',
    "a['b'] = function () {}",
    'a.b! ??= (c: (d: E) => F): G => c',
  ];
  const others = ["const a: B['c'] = () => 1", 'a.b = c(() => 1)', 'a.b = c', 'a.b === (() => 1)', 'const a = { b: () => 1 }'];

  deepEqual(forms.flatMap(assignedFunctions).length, forms.length);
  deepEqual(others.flatMap(assignedFunctions), []);
});

test('no file imports itself through others, not even for types', () => {
  const graph = new Map(sources.map(({ path, imports: its }) => [path, its.filter(isInternal).map(({ to }) => to)]));

  deepEqual(cyclesIn(graph), []);
});

test('no folder of src/ imports itself through others', () => {
  deepEqual(cyclesIn(dependenciesOf(sources)), []);
});

test('the import reader finds every form of import', () => {
  const text = [
    "import { a } from './a.ts';",
    "import type {\n  B,\n} from '../b/b.ts';",
    "export * from './c.ts';",
    "export type { D } from './d.ts';",
    "import './e.ts';",
    "const f = await import('./f.ts');",
    "import G, { type H } from 'g';",
  ].join('\n');

  const found = importsOf('x/x.ts', text);

  deepEqual(
    found.map(({ to, typeOnly }) => (typeOnly ? `type:${to}` : to)),
    ['x/a.ts', 'type:b/b.ts', 'x/c.ts', 'type:x/d.ts', 'x/e.ts', 'x/f.ts', 'g'],
  );
  ok(imports.length > files.length);
});

function isBelow(table: Readonly<Record<string, readonly string[]>>, from: string, to: string): boolean {
  return from === to || table[from]?.includes(to) === true;
}

function allows(allowed: readonly string[], name: string, typeOnly: boolean): boolean {
  return allowed.includes(name) || (typeOnly && allowed.includes(`type:${name}`));
}

/** More index files, each for those who must not load the rest of the folder. */
const secondDoors = [
  'executor/schema/index.ts',
  'server/node/index.ts',
  'server/for-tools.ts',
  'tools/checks/for-cli.ts',
  'tools/landing-page/packed-playground.ts',
];

function isDoor(file: string): boolean {
  return file === `${unitOf(file)}/index.ts` || secondDoors.includes(file);
}

/** Each extension and each tool has a door, like the other folders. */
function unitOf(file: string): string {
  return ['extensions', 'tools'].includes(folderOf(file)) ? partOf(file) : folderOf(file);
}

/** The beginnings of assignments of function literals to properties. */
function assignedFunctions(text: string): readonly string[] {
  const found = text.matchAll(
    /^.*(?:\.#?\w+|\])!?\s+(?:\?\?|\|\||&&)?=\s+(?:async\s+)?(?:function\b|\w+\s*=>|\((?:[^()]|\([^()]*\))*\)\s*(?::[^=;]+)?=>)/gm,
  );
  return [...found]
    .map(([beginning]) => beginning.trim())
    .filter((beginning) => !/^(?:(?:export )?(?:const|let)|\*|\/\/) /.test(beginning));
}

/** `server/doors/rules.ts` → `server/doors`. */
function partOf(file: string): string {
  return file.split('/', 2).join('/');
}

function describe({ from, to, typeOnly }: Import): string {
  return `${from} imports ${typeOnly ? 'types of ' : ''}${to}`;
}
