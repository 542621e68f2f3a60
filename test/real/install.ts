// Installs the real parts that an npm script runs against: `node test/real/install.ts test:real`. Does nothing for a
// part that is there. A part that cannot be installed is listed, and fails the command where CI is set.
//
// No lockfile: the optional packages of deno and workerd for other platforms are not in every registry, and `npm ci`
// then refuses the whole lockfile. The versions are exact instead.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { cacheFolder, isInstalled, partNamed, partsOf } from './parts.ts';
import type { Part } from './parts.ts';

const failures: string[] = [];
for (const name of partsOf(process.argv[2] ?? 'test:real')) {
  const failure = install(partNamed(name));
  if (failure !== undefined) failures.push(`${name}: ${failure}`);
}
if (failures.length > 0) {
  console.error(
    `Not installed, so that their tests ${process.env['CI'] === 'true' ? 'cannot run' : 'are skipped'}:\n  ${failures.join('\n  ')}`,
  );
  if (process.env['CI'] === 'true') process.exitCode = 1;
}

/** Returns why the part could not be installed. */
function install(part: Part): string | undefined {
  const { name, version, folder } = part;
  if (isInstalled(part)) {
    console.log(`${name}@${version} is in ${folder}`);
    return undefined;
  }
  const missing = toolsFor(name).filter((tool) => !isOnPath(tool));
  if (missing.length > 0) return `needs ${missing.join(', ')} (Debian: apt-get install cmake make g++ python3)`;

  console.log(`${name}@${version}: installing into ${folder} …`);
  const started = performance.now();
  try {
    npmInstall(name, version, folder, environmentFor(name));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  console.log(`${name}@${version}: installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return undefined;
}

/** AWS's client compiles curl and a native addon. */
function toolsFor(name: string): string[] {
  return name === 'aws-lambda-ric' ? ['cmake', 'make', 'g++', 'python3'] : [];
}

function isOnPath(tool: string): boolean {
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** node-gyp would download Node's headers from a site of its own. */
function environmentFor(name: string): NodeJS.ProcessEnv {
  return name === 'aws-lambda-ric' ? { ...process.env, npm_config_nodedir: folderOfNodeHeaders() } : process.env;
}

/** The npm package `node` leaves the headers out; the package of its platform, from which it takes the binary, has them. */
function folderOfNodeHeaders(): string {
  const beside = dirname(dirname(process.execPath));
  if (existsSync(join(beside, 'include/node/node_api.h'))) return beside;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = cacheFolder(`${name}@${process.versions.node}`);
  if (!existsSync(folder)) npmInstall(name, process.versions.node, folder, process.env);
  return join(folder, 'node_modules', name);
}

/** Into a folder beside, renamed when it is complete: an install that was broken off never looks like a finished one. */
function npmInstall(name: string, version: string, folder: string, env: NodeJS.ProcessEnv): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const manifest = { private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } };
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify(manifest));
    const flags = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags], { cwd: unfinished, env, stdio: ['ignore', 'inherit', 'inherit'] });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
