import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { replacedPackages } from './modules.ts';

type Versions = Record<string, string>;

/** A package.json of the project. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
  /** The versions in dependencies and devDependencies. */
  readonly versions: Versions;
}

/** The package.json files above a file, nearest first: up to the project's folder, or the nearest of a file that is outside. */
export function manifestsAbove(file: string, directory: string): Manifest[] {
  const found: Manifest[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      const text = readFileSync(join(folder, 'package.json'), 'utf8');
      const { dependencies, devDependencies } = JSON.parse(text) as Written;
      found.push({ file: join(folder, 'package.json'), text, versions: { ...devDependencies, ...dependencies } });
    } catch {
      // The file is missing, or not valid JSON, as in test fixtures.
    }
    const isOutside = relative(directory, folder).startsWith('..');
    if (folder === directory || folder === dirname(folder) || (isOutside && found.length > 0)) return found;
  }
}

/** The range in which a project has a package. The nearest package.json wins. */
export function rangeIn(manifests: readonly Manifest[], name: string): string | undefined {
  return manifests.find(({ versions }) => versions[name] !== undefined)?.versions[name];
}

/** True when the lowest version of a range is below another: `^15 || ^16` begins below 16. False for `*`, tags and URLs. */
export function isBelow(range: string | undefined, major: number, minor = 0): boolean {
  const [, isUpperEnd, first, second = 0] = /^[\s^~>=v]*(<(?!=))?[\s=<]*(\d+)(?:\.(\d+))?/.exec(range ?? '') ?? [];
  if (first === undefined) return false;
  const distance = Number(first) - major || Number(second) - minor;
  return isUpperEnd === undefined ? distance < 0 : distance <= 0;
}

/** True when a package.json lists a package that this one replaces. */
export function listsReplaced({ versions }: Manifest): boolean {
  return replacedPackages.some((name) => versions[name] !== undefined);
}

/**
 * Packages that support graphql 16 from version `major.minor` on, and the range of such versions with the same interface. A package that
 * came with Apollo's packages is added if a file imports it and no package.json lists it.
 */
const ranges: readonly (readonly [name: string, range: string, major: number, minor: number])[] = [
  ['@apollo/subgraph', '~2.14.4', 0, 3],
  ['@graphql-tools/graphql-file-loader', '^8.0.0', 7, 3],
  ['@graphql-tools/load', '^8.0.0', 7, 4],
  ['@graphql-tools/load-files', '^7.0.0', 6, 5],
  ['@graphql-tools/merge', '^9.0.0', 8, 2],
  ['@graphql-tools/mock', '^9.0.0', 8, 4],
  ['@graphql-tools/schema', '^10.0.0', 8, 3],
  ['@graphql-tools/utils', '^10.0.0', 8, 5],
  ['@graphql-yoga/subscription', '^5.0.0', 0, 0],
  ['apollo-server-plugin-response-cache', '^3.8.2', 3, 5],
  ['body-parser', '^1.20.3', 0, 0],
  ['cors', '^2.8.5', 0, 0],
  ['express', '^4.21.0', 0, 0],
  ['graphql', '^16.15.0', 16, 15],
  ['graphql-subscriptions', '^2.0.0', 2, 0],
  ['graphql-tag', '^2.12.6', 2, 12],
  ['graphql-tools', '^9.0.0', 8, 0],
  ['node-fetch', '^2.7.0', 0, 0],
  ['uuid', '^9.0.0', 0, 0],
];

/** The facts that decide the new text of a package.json. */
export interface PackageUse {
  /** Packages that the changed files of the folder import now; empty if no file has changed. */
  readonly imported: readonly string[];
  /** Packages that some file of the project still imports. */
  readonly stillUsed: readonly string[];
  /** The package.json files of the folders above. */
  readonly above: readonly Manifest[];
  /** The version of this package. */
  readonly version: string;
}

/** The new text of a package.json, and its changes. Dependencies to which one is added are sorted by name. */
export function rewritePackage(
  manifest: Manifest,
  { imported, stillUsed, above, version }: PackageUse,
): { text: string; changes: string[] } {
  if (imported.length === 0 && !listsReplaced(manifest)) return { text: manifest.text, changes: [] };
  const changes: string[] = [];
  const written = JSON.parse(manifest.text) as Written;
  const listed = [written.dependencies, written.devDependencies].filter((one) => one !== undefined);
  const unused = [...replacedPackages, 'graphql-tools', '@apollo/federation'].filter((name) => !stillUsed.includes(name));
  for (const versions of listed)
    for (const name of unused)
      if (name in versions && (name !== 'graphql-tools' || isBelow(versions[name], 8))) {
        delete versions[name];
        changes.push(`${name} is removed`);
      }
  for (const versions of [...listed, written.peerDependencies, written.overrides, written.resolutions, written.pnpm?.overrides].flatMap(
    versionsIn,
  ))
    for (const [name, range, major, minor] of ranges)
      if (typeof versions[name] === 'string' && isBelow(versions[name], major, minor)) {
        changes.push(`${name} ${versions[name]} → ${range}`);
        versions[name] = range;
      }
  for (const [name, range] of imported.length === 0 ? [] : [...ranges, ['graphql-functions', `^${version}`] as const]) {
    const isNeeded = name === 'graphql' || imported.includes(name);
    if (!isNeeded || listed.some((versions) => name in versions) || rangeIn(above, name) !== undefined) continue;
    written.dependencies = Object.fromEntries(
      Object.entries({ ...written.dependencies, [name]: range }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    changes.push(`${name} ${range} is added`);
  }
  for (const name of changes.length === 0 ? [] : withoutGraphQL16(manifest.file, listed))
    changes.push(`${name} does not support graphql 16: update or replace it`);
  const indent = /^([ \t]+)"/m.exec(manifest.text)?.[1] ?? '  ';
  const text = JSON.stringify(written, null, indent) + (manifest.text.endsWith('\n') ? '\n' : '');
  return { text: changes.length === 0 ? manifest.text : text, changes };
}

/** The packages that are installed, and whose range of graphql excludes 16, so that npm would refuse to install them. */
function withoutGraphQL16(file: string, listed: readonly Versions[]): string[] {
  return listed.flatMap(Object.keys).filter((name) => {
    try {
      const { peerDependencies = {} } = JSON.parse(
        readFileSync(join(dirname(file), 'node_modules', name, 'package.json'), 'utf8'),
      ) as Written;
      return name !== 'graphql-functions' && !/^$|\b16\b|\*|\bx\b|>=?\s*\d[^<]*$/.test(peerDependencies['graphql'] ?? '');
    } catch {
      // The package is not installed here.
      return false;
    }
  });
}

/** The parts of package.json that decide on versions. */
interface Written {
  dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly overrides?: unknown;
  readonly resolutions?: unknown;
  readonly pnpm?: { readonly overrides?: unknown };
}

/** An object of versions, and those inside, because npm nests overrides by package. */
function versionsIn(overrides: unknown): Versions[] {
  if (typeof overrides !== 'object' || overrides === null) return [];
  return [overrides as Versions, ...Object.values(overrides).flatMap(versionsIn)];
}
