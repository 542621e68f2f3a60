import { packageOf } from '../project/installed-packages.ts';
import { broughtAlong, tooOldForGraphQL16 } from './dependencies.ts';
import { rangeIn } from './manifests.ts';
import type { Manifest, Versions } from './manifests.ts';
import { packagesOfVersion3 } from './modules.ts';
import { isBelow } from './versions.ts';

/** The changes to a package.json after files of its folder have changed. */
export interface PackageChange {
  /** Modules that changed files now import. */
  readonly modules: readonly string[];
  /** Packages that some file of the project still mentions. */
  readonly stillUsed: readonly string[];
  /** Packages that a package.json of a folder above lists. */
  readonly listedAbove: readonly string[];
  /** The version of this package. */
  readonly version: string;
}

/** True when a package.json lists a server or data source of the version-3 generation. */
export function listsVersion3(manifest: Manifest): boolean {
  return packagesOfVersion3.some((name) => rangeIn(manifest, name) !== undefined);
}

/** The new text of package.json. Dependencies keep their order; a new one is inserted alphabetically. */
export function rewritePackage(manifest: Manifest, { modules, stillUsed, listedAbove, version }: PackageChange): string {
  const isUsed = modules.some((module) => packageOf(module) === 'graphql-functions');
  if (!isUsed && !listsVersion3(manifest)) return manifest.text;
  const written = JSON.parse(manifest.text) as Written;
  const listed = [written.dependencies, written.devDependencies].filter((one) => one !== undefined);
  const replaced = [
    ...packagesOfVersion3,
    ...(isBelow(rangeIn(manifest, 'graphql-tools'), { major: 8, minor: 0 }) ? ['graphql-tools'] : []),
    ...(modules.includes('graphql-functions/subgraph') ? ['@apollo/subgraph', '@apollo/federation'] : []),
  ];
  const unused = replaced.filter((name) => !stillUsed.includes(name));
  for (const versions of listed) for (const name of unused) delete versions[name];
  for (const versions of [...listed, ...forcedVersions(written)])
    for (const [name, firstFit, range] of tooOldForGraphQL16) if (isBelow(versions[name], firstFit)) versions[name] = range;
  const missing = new Set([...modules.map(packageOf), ...(isUsed ? ['graphql'] : [])]);
  const ranges: Versions = { ...broughtAlong, graphql: '^16.15.0', 'graphql-functions': `^${version}` };
  const added = [...missing].filter((name) => !listed.some((versions) => name in versions) && !listedAbove.includes(name));
  if (added.length > 0 || written.dependencies !== undefined) {
    const all = { ...written.dependencies, ...Object.fromEntries(added.map((name) => [name, ranges[name] ?? '*'])) };
    written.dependencies = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
  const indent = /^([ \t]+)"/m.exec(manifest.text)?.[1] ?? '  ';
  return JSON.stringify(written, null, indent) + (manifest.text.endsWith('\n') ? '\n' : '');
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

/** Versions that take precedence over those of dependencies, and those that users of a package must have. */
function forcedVersions({ peerDependencies = {}, overrides, resolutions, pnpm }: Written): Versions[] {
  return [peerDependencies, ...[overrides, resolutions, pnpm?.overrides].flatMap(versionsIn)];
}

/** The objects of overrides, which npm nests by package. */
function versionsIn(overrides: unknown): Versions[] {
  if (typeof overrides !== 'object' || overrides === null) return [];
  return [overrides as Versions, ...Object.values(overrides).flatMap(versionsIn)];
}
