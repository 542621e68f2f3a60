import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { filesOf, foldersOf, functionsWith, importsOf, isInternal, readSources, roomsOf } from '../scripts/structure.ts';
import type { Import } from '../scripts/structure.ts';

/**
 * Who may import whom. A layer is a folder of src/, or a file: of those that hold a file, the longest name. `types` are
 * known by their types alone, `packages` are all that it may import from elsewhere; `type:` marks those of which it may
 * know types only.
 */
const table: Readonly<Record<string, LayerRule>> = {
  'message/': { layers: [] },
  'cache/': { layers: [] },
  'schema/': { layers: ['message/'], packages: ['graphql'] },
  'validation/': { layers: [], packages: ['graphql'] },
  'execution/': { layers: ['message/'], packages: ['graphql'] },
  'datasource/': { layers: ['cache/'], packages: ['graphql'] },
  'operation/': {
    layers: ['message/', 'schema/', 'validation/', 'execution/'],
    types: ['cache/', 'datasource/'],
    packages: ['graphql'],
  },
  'http/': { layers: ['operation/', 'message/'], packages: ['graphql'] },
  'platform/': { layers: ['message/'], packages: ['graphql', 'type:aws-lambda', 'type:node:http'] },
  'extensions/': {
    layers: ['http/', 'operation/', 'message/'],
    types: ['cache/', 'execution/'],
    packages: ['graphql', '@opentelemetry/api'],
  },
  // A server of its own over the line: it takes whole stages of it, and the line knows nothing of it.
  'extensions/v3/': {
    layers: [
      'development/load-tools.ts',
      'extensions/',
      'handler/',
      'http/',
      'platform/',
      'operation/',
      'execution/',
      'schema/',
      'datasource/',
      'cache/',
      'message/',
    ],
    types: ['server/'],
    packages: ['graphql', 'http-cache-semantics', 'type:aws-lambda', 'type:node:http'],
  },

  // What a server loads of development/; the rest of that folder is in no bundle.
  'development/own-package.ts': { layers: [] },
  'development/load-tools.ts': { layers: ['development/own-package.ts', 'message/'], types: ['http/', 'operation/', 'schema/'] },

  'server/': {
    layers: ['development/load-tools.ts', 'http/', 'operation/', 'cache/', 'schema/', 'message/'],
    types: ['datasource/'],
    packages: ['type:graphql'],
  },
  'handler/': {
    layers: ['server/', 'http/', 'operation/', 'platform/', 'message/'],
    packages: ['type:aws-lambda'],
  },

  'aws-lambda.ts': { layers: ['handler/', 'platform/'], types: ['server/'], packages: ['type:aws-lambda'] },
  'netlify.ts': { layers: ['handler/', 'platform/'], types: ['server/'] },
  'fetch.ts': { layers: ['handler/', 'platform/'], types: ['server/'] },
  'incremental.ts': { layers: ['extensions/'] },
  'graphql-js.ts': { layers: ['execution/'] },
  'v3.ts': { layers: ['extensions/v3/'] },
  'v3/core.ts': { layers: ['extensions/', 'extensions/v3/', 'cache.ts'] },
  'v3/express.ts': { layers: ['extensions/v3/'] },
  'v3/micro.ts': { layers: ['extensions/v3/'] },
  'v3/azure-functions.ts': { layers: ['extensions/v3/'] },
  'v3/datasource.ts': { layers: ['extensions/v3/'], types: ['cache.ts'] },
  'v3/datasource-rest.ts': { layers: ['extensions/v3/'] },
  'opentelemetry.ts': { layers: ['extensions/'] },
  'cost-line.ts': { layers: ['extensions/'] },
  'edge.ts': { layers: ['extensions/'] },
  'datasource.ts': { layers: ['datasource/'], types: ['cache/'] },
  'cache.ts': { layers: ['cache/'] },
  'build.ts': { layers: ['schema/'] },
  'index.ts': {
    layers: ['handler/', 'datasource/', 'cache/', 'message/', 'schema/'],
    types: ['http/', 'operation/', 'server/'],
  },
};

/** What stands on top may import everything; nothing may import it, but the entry of the same name. */
const top = ['development/', 'cli/', 'node/', 'testing/', 'explain.ts', 'landing-page.ts', 'node.ts', 'checks.ts', 'testing.ts'];

interface LayerRule {
  readonly layers: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
}

const sources = readSources();
const files = sources.map(({ path }) => path);
const imports = sources.flatMap((file) => file.imports);

test('the root of src/, and src/v3/, hold the entries of the package, and nothing else', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');

  deepEqual(
    files.filter((file) => !file.includes('/') || file.startsWith('v3/')).toSorted(),
    entries.map((entry) => (entry === '.' ? 'index.ts' : `${entry.slice(2)}.ts`)).toSorted(),
  );
});

// What `node scripts/structure.ts --list` counts.
test('a folder has at most 20 files: more are divided by what they are for', () => {
  const full = [...foldersOf(sources)].filter(([, count]) => count > 20);

  deepEqual(full, []);
});

test('from above the code has at most 30 rooms, and 90 arrows between them', () => {
  const { rooms, arrows } = roomsOf(sources);

  ok(rooms.length <= 30, rooms.join('\n'));
  ok(arrows.length <= 90, arrows.join('\n'));
});

test('at most 30 files have 30 lines or fewer, 19 of them entries, and none has more than 300', () => {
  const small = filesOf(sources, (lines) => lines <= 30);

  ok(small.length <= 30, small.join('\n'));
  deepEqual(
    filesOf(sources, (lines) => lines > 300),
    [],
  );
});

test('at most 12 functions have four or more parameters', () => {
  const found = functionsWith(sources, 4);

  ok(found.length <= 12, found.join('\n'));
});

test('every file of src/ belongs to a layer of the table', () => {
  const homeless = files.filter((file) => !(layerOf(file) in table) && !top.includes(layerOf(file)));

  deepEqual(homeless, []);
});

test('a layer imports only the layers below it', () => {
  const forbidden = imports.filter(isInternal).filter((one) => !mayImport(layerOf(one.from), layerOf(one.to), one.typeOnly));

  deepEqual(forbidden.map(describe), []);
});

test('a layer imports only the packages that are its own', () => {
  const forbidden = imports
    .filter((one) => !isInternal(one) && !top.includes(layerOf(one.from)))
    .filter(({ from, to, typeOnly }) => !allows(table[layerOf(from)]?.packages ?? [], to, typeOnly));

  deepEqual(forbidden.map(describe), []);
});

test('of graphql the adapters know GraphQLError alone', () => {
  const known = imports.filter(({ from, to }) => layerOf(from) === 'platform/' && to === 'graphql').map(({ names }) => names);

  deepEqual([...new Set(known)], ['{ GraphQLError }']);
});

test('no file imports itself through others, not even for types', () => {
  const graph = new Map(files.map((file) => [file, imports.filter((one) => one.from === file && isInternal(one)).map(({ to }) => to)]));

  deepEqual(cyclesIn(graph), []);
});

test('from above no room imports itself through others', () => {
  const { rooms, arrows } = roomsOf(sources);
  const graph = new Map(
    rooms.map((room) => [room, arrows.map((arrow) => arrow.split(' → ')).flatMap(([from, to]) => (from === room ? to! : []))]),
  );

  deepEqual(cyclesIn(graph), []);
});

test('the reader of imports finds every form of them', () => {
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

function mayImport(from: string, to: string, typeOnly: boolean): boolean {
  if (from === to || top.includes(from)) return true;
  const rule = table[from];
  return rule !== undefined && (rule.layers.includes(to) || (typeOnly && rule.types?.includes(to) === true));
}

function allows(packages: readonly string[], name: string, typeOnly: boolean): boolean {
  return packages.includes(name) || (typeOnly && packages.includes(`type:${name}`));
}

/** `http/csrf.ts` → `http/`, `fetch.ts` → `fetch.ts`, `development/own-package.ts` → itself. */
function layerOf(file: string): string {
  const own = [...Object.keys(table), ...top].filter((layer) => file === layer || (layer.endsWith('/') && file.startsWith(layer)));
  return own.toSorted((a, b) => b.length - a.length)[0] ?? file;
}

function describe({ from, to, typeOnly }: Import): string {
  return `${from} imports ${typeOnly ? 'types of ' : ''}${to}`;
}

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
