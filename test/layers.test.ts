import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';

/**
 * Who may import whom. A layer is a folder of src/, or a file beside the folders. `types` are known by their types
 * alone, `packages` are all that it may import from elsewhere; `type:` marks those of which it may know types only.
 */
const table: Readonly<Record<string, LayerRule>> = {
  'message/': { layers: [] },
  'cache/': { layers: [] },
  'schema/': { layers: ['own-package.ts'], packages: ['graphql', '@graphql-tools/schema'] },
  'validation/': { layers: [], packages: ['graphql'] },
  'execution/': { layers: [], packages: ['graphql'] },
  'datasource/': { layers: ['cache/'], packages: ['graphql', 'http-cache-semantics'] },
  'operation/': {
    layers: ['message/', 'schema/', 'validation/', 'execution/'],
    types: ['cache/', 'datasource/'],
    packages: ['graphql'],
  },
  'http/': { layers: ['operation/', 'message/'], packages: ['graphql'] },
  'platform/': { layers: ['message/'], packages: ['graphql', 'type:aws-lambda', 'type:@netlify/functions', 'type:node:http'] },
  'landing-page/': { layers: ['own-package.ts'], types: ['operation/'] },

  'environment.ts': { layers: [] },
  'own-package.ts': { layers: [] },
  'default-page.ts': { layers: ['own-package.ts'], types: ['operation/'] },
  'explaining.ts': { layers: ['own-package.ts'], types: ['http/', 'operation/'] },
  'watched-plugins.ts': { layers: ['own-package.ts'], types: ['operation/'] },
  'deadline.ts': { layers: [], types: ['message/'] },
  'call-ending.ts': { layers: ['deadline.ts', 'operation/'], types: ['message/'] },
  'invocation.ts': { layers: ['call-ending.ts'], types: ['message/'] },
  'options.ts': { layers: ['http/', 'operation/', 'schema/'], types: ['cache/', 'deadline.ts'], packages: ['type:graphql'] },
  'context-types.ts': { layers: [], types: ['datasource/', 'options.ts'] },
  'server.ts': {
    layers: [
      'options.ts',
      'environment.ts',
      'deadline.ts',
      'default-page.ts',
      'explaining.ts',
      'watched-plugins.ts',
      'http/',
      'operation/',
      'cache/',
      'schema/',
    ],
    packages: ['type:graphql'],
  },
  'start.ts': {
    layers: ['server.ts', 'environment.ts', 'deadline.ts', 'operation/'],
    types: ['options.ts', 'http/'],
    packages: ['type:graphql'],
  },
  'recreation.ts': { layers: [], types: ['options.ts', 'start.ts'] },
  'handler.ts': {
    layers: ['message/', 'platform/', 'http/', 'start.ts', 'invocation.ts', 'recreation.ts'],
    types: ['server.ts', 'options.ts'],
  },

  'streaming-handler.ts': {
    layers: ['handler.ts', 'http/', 'platform/', 'start.ts', 'invocation.ts', 'recreation.ts'],
    types: ['options.ts'],
  },

  'universal.ts': {
    layers: ['handler.ts', 'http/', 'platform/'],
    types: ['context-types.ts', 'options.ts', 'start.ts'],
    packages: ['type:aws-lambda', 'type:@netlify/functions'],
  },
  'aws-lambda.ts': {
    layers: ['handler.ts', 'streaming-handler.ts', 'platform/'],
    types: ['context-types.ts', 'options.ts', 'start.ts'],
    packages: ['type:aws-lambda'],
  },
  'netlify.ts': {
    layers: ['handler.ts', 'http/', 'platform/'],
    types: ['context-types.ts', 'options.ts', 'start.ts'],
    packages: ['type:@netlify/functions'],
  },
  'fetch.ts': { layers: ['handler.ts', 'http/', 'platform/'], types: ['context-types.ts', 'options.ts', 'start.ts'] },
  'incremental.ts': { layers: ['http/', 'operation/', 'schema/'] },
  'datasource.ts': { layers: ['datasource/'] },
  'cache.ts': { layers: ['cache/'] },
  'build.ts': { layers: ['schema/'] },
  'index.ts': {
    layers: ['universal.ts', 'datasource.ts', 'cache.ts', 'message/', 'schema/'],
    types: ['context-types.ts', 'http/', 'operation/', 'options.ts', 'start.ts', 'deadline.ts'],
  },
};

/** What stands on top may import everything; nothing may import it, but the entry of the same name. */
const top = ['node/', 'node.ts', 'cli/', 'testing/', 'testing.ts', 'landing-page.ts', 'explain/', 'explain.ts', 'plugin-check.ts'];

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

/** `http/csrf.ts` → `http/`, `server.ts` → `server.ts`. */
function layerOf(file: string): string {
  const [first = '', ...rest] = file.split('/');
  return rest.length > 0 ? `${first}/` : first;
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
