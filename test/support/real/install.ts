import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { cacheFolder, isInstalled, partNamed, partsOf } from './parts.ts';
import { isOnPath } from '../program.ts';
import type { Part } from './parts.ts';

/**
 * Installs the parts that the tests of a folder of test/real need, unless they are installed. Lists parts that cannot be installed, and
 * fails because of them if CI is set.
 *
 * There is no lockfile: some registries lack the optional packages of deno and workerd for other platforms, and `npm ci` then refuses
 * the whole lockfile. Exact versions replace it.
 */
export function installParts(folder: string): void {
  const failures = partsOf(folder).flatMap((name) => {
    const failure = install(partNamed(name));
    return failure === undefined ? [] : [`${name}: ${failure}`];
  });
  if (failures.length === 0) return;
  const isCI = process.env['CI'] === 'true';
  console.error(`Not installed, so that their tests ${isCI ? 'cannot run' : 'are skipped'}:\n  ${failures.join('\n  ')}`);
  if (isCI) process.exitCode = 1;
}

/** Installs a part. Returns the reason if it fails. */
function install(part: Part): string | undefined {
  const { name, version, manifest, folder } = part;
  if (isInstalled(part)) {
    console.log(`${name}@${version} is in ${folder}`);
    return undefined;
  }
  const missing = toolsFor(name).filter((tool) => !isOnPath(tool));
  if (missing.length > 0) return `needs ${missing.join(', ')} (Debian: apt-get install cmake make g++ python3)`;

  console.log(`${name}@${version}: installing into ${folder} …`);
  const started = performance.now();
  try {
    if (name === 'aws-lambda-ric') withNodeHeaders((headers) => npmInstall(manifest, folder, { npm_config_nodedir: headers }));
    else npmInstall(manifest, folder);
  } catch (error) {
    // Another run may have installed it first.
    if (isInstalled(part)) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
  console.log(`${name}@${version}: installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return undefined;
}

/** The programs that a part needs: AWS's client compiles curl and a native addon. */
function toolsFor(name: string): string[] {
  return name === 'aws-lambda-ric' ? ['cmake', 'make', 'g++', 'python3'] : [];
}

/**
 * node-gyp would download Node's headers from nodejs.org. The npm package `node` does not contain them; the package of its
 * platform, from which it takes the binary, does. That package has 189 MB and is removed after use.
 */
function withNodeHeaders(build: (folder: string) => void): void {
  const beside = dirname(dirname(process.execPath));
  if (existsSync(join(beside, 'include/node/node_api.h'))) {
    build(beside);
    return;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const folder = `${cacheFolder(name)}.${process.pid}`;
  try {
    npmInstall({ dependencies: { [name]: process.versions.node } }, folder);
    build(join(folder, 'node_modules', name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Into a temporary folder next to it, renamed when complete: an aborted install never looks finished. */
function npmInstall(manifest: Part['manifest'], folder: string, settings: NodeJS.ProcessEnv = {}): void {
  const unfinished = `${folder}.unfinished-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const allowScripts = Object.fromEntries(Object.keys(manifest.dependencies).map((name) => [name, true]));
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, ...manifest, allowScripts }));
    const flags = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags], {
      cwd: unfinished,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
