import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';

/**
 * Who may import whom. A layer is a folder of src/, or a file: of those that hold a file, the longest name. `types` are
 * known by their types alone, `packages` are all that it may import from elsewhere; `type:` marks those of which it may
 * know types only.
 */
const table: Readonly<Record<string, LayerRule>> = {
  'message/': { layers: [] },
  'tracing/': { layers: [] },
  'cache/': { layers: [] },
  'schema/': { layers: ['development/find-check.ts', 'tracing/'], packages: ['graphql'] },
  'validation/': { layers: [], packages: ['graphql'] },
  'execution/': { layers: ['tracing/'], types: ['message/'], packages: ['graphql'] },
  'datasource/': { layers: ['cache/'], packages: ['graphql'] },
  'operation/': {
    layers: ['message/', 'tracing/', 'schema/', 'validation/', 'execution/'],
    types: ['cache/', 'datasource/'],
    packages: ['graphql'],
  },
  'http/': { layers: ['operation/', 'message/'], packages: ['graphql'] },
  'platform/': { layers: ['message/'], packages: ['graphql', 'type:aws-lambda', 'type:node:http'] },
  'extensions/': { layers: ['http/', 'operation/', 'message/'], types: ['cache/'], packages: ['graphql', '@opentelemetry/api'] },
  // A server of its own over the line: it takes whole stages of it, and the line knows nothing of it.
  'extensions/v3/': {
    layers: ['extensions/', 'handler/', 'platform/', 'operation/', 'execution/', 'schema/', 'datasource/', 'cache/', 'message/'],
    types: ['server/'],
    packages: ['graphql', 'http-cache-semantics', 'type:aws-lambda'],
  },

  // What a server loads of development/; the rest of that folder is in no bundle.
  'development/own-package.ts': { layers: [] },
  'development/find-check.ts': { layers: ['development/own-package.ts'] },
  'development/load-tools.ts': { layers: ['development/own-package.ts'], types: ['http/', 'operation/'] },

  'server/': {
    layers: ['development/load-tools.ts', 'http/', 'operation/', 'cache/', 'schema/'],
    types: ['datasource/', 'message/'],
    packages: ['type:graphql'],
  },
  'handler/': {
    layers: ['server/', 'http/', 'operation/', 'platform/', 'message/'],
    packages: ['type:aws-lambda'],
  },

  'aws-lambda.ts': { layers: ['handler/', 'platform/'], types: ['server/'], packages: ['type:aws-lambda'] },
  'netlify.ts': { layers: ['handler/', 'http/', 'platform/'], types: ['server/'] },
  'fetch.ts': { layers: ['handler/', 'http/', 'platform/'], types: ['server/'] },
  'incremental.ts': { layers: ['extensions/'] },
  'v3.ts': { layers: ['extensions/v3/'] },
  'v3-core.ts': { layers: ['extensions/', 'extensions/v3/', 'cache.ts'] },
  'v3-datasource.ts': { layers: ['extensions/v3/'], types: ['cache.ts'] },
  'v3-datasource-rest.ts': { layers: ['extensions/v3/'] },
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
const top = [
  'development/',
  'cli/',
  'node/',
  'testing/',
  'explain.ts',
  'landing-page.ts',
  'node.ts',
  'plugin-check.ts',
  'schema-check.ts',
  'testing.ts',
];

interface LayerRule {
  readonly layers: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
}

interface Import {
  readonly from: string;
  /** A path below src/, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
  readonly names: string;
}

const importStatement = /^(?:import|export) (type )?([^'";]*?) ?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
const files = globSync('src/**/*.ts').map((file) => posix.relative('src', file.replaceAll('\\', '/')));
const imports = files.flatMap((file) => importsOf(file, readFileSync(posix.join('src', file), 'utf8')));

test('the root of src/ holds the entries of the package, and nothing else', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');

  deepEqual(
    files.filter((file) => !file.includes('/')).toSorted(),
    entries.map((entry) => (entry === '.' ? 'index.ts' : `${entry.slice(2).replaceAll('/', '-')}.ts`)).toSorted(),
  );
});

test('a folder has at most 25 files: more are divided by what they are for', () => {
  const folders = [...new Set(files.map((file) => posix.dirname(file)))];
  const full = folders.filter((folder) => files.filter((file) => posix.dirname(file) === folder).length > 25);

  deepEqual(full, []);
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

function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(importStatement)].map(([, type, names = '', named, bare, dynamic]) => ({
    from,
    to: targetOf(from, named ?? bare ?? dynamic ?? ''),
    typeOnly: type !== undefined,
    names,
  }));
}

function targetOf(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

function isInternal({ to }: Import): boolean {
  return to.endsWith('.ts');
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
