import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { readLowestVersion } from './versions.ts';

export type Versions = Record<string, string>;

/** A package.json of the project. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
}

/** The package.json files that files of a project belong to. */
export class Manifests {
  readonly #byFolder: ReadonlyMap<string, Manifest>;

  constructor(manifests: readonly Manifest[]) {
    this.#byFolder = new Map(manifests.map((one) => [dirname(one.file), one]));
  }

  all(): Manifest[] {
    return [...this.#byFolder.values()];
  }

  /** The package.json files in the folders above a file, nearest first. */
  above(file: string): Manifest[] {
    const found: Manifest[] = [];
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      const manifest = this.#byFolder.get(folder);
      if (manifest !== undefined) found.push(manifest);
      if (folder === dirname(folder)) return found;
    }
  }

  /** The range in which a file's project has a package. The nearest package.json wins. */
  rangeOf(name: string, file: string): string | undefined {
    return this.above(file)
      .map((one) => rangeIn(one, name))
      .find((range) => range !== undefined);
  }

  /** True when a file's project has the package in a major version. */
  hasMajor(name: string, major: number, file: string): boolean {
    const range = this.rangeOf(name, file);
    return range !== undefined && readLowestVersion(range)?.major === major;
  }
}

export function rangeIn(
  { dependencies, devDependencies }: Pick<Manifest, 'dependencies' | 'devDependencies'>,
  name: string,
): string | undefined {
  return dependencies[name] ?? devDependencies[name];
}

/** Reads the package.json of every folder from those of the files up to `directory`. */
export async function readManifests(directory: string, files: readonly string[]): Promise<Manifests> {
  const folders = new Set([directory]);
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder) && !relative(directory, folder).startsWith('..'); folder = dirname(folder))
      folders.add(folder);
  const manifests = await Promise.all([...folders].map((folder) => readManifest(join(folder, 'package.json'))));
  return new Manifests(manifests.filter((one) => one !== undefined));
}

async function readManifest(file: string): Promise<Manifest | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Partial<Manifest>;
    return { file, text, dependencies, devDependencies };
  } catch {
    // The file is missing, or not valid JSON, as in test fixtures.
    return undefined;
  }
}
