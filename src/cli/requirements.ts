// Imports Node's own modules alone: nothing else may be able to load before this check.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFile } from 'node:fs/promises';

/** The reason why this package cannot run here, with its remedy. Undefined: it can. */
export function missingRequirement(node: string): string | undefined {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    return (
      `graphql-functions needs Node 22 (from 22.19), 24, or 26 and newer; this is Node ${node}. Install one from nodejs.org, ` +
      'or give this project its own: npm i -D node@24'
    );
  }
  const graphql = installedGraphQL();
  if (graphql === undefined) return 'graphql-functions needs the package graphql, which is not installed here: npm i graphql';
  if (isSupported(graphql.version)) return undefined;
  return `graphql-functions needs graphql 17.1 or newer, or 16 from 16.15; in ${graphql.folder} is ${graphql.version}: npm i graphql@17`;
}

/** Remarks on an unusual installation that may matter. Empty: there are none. */
export function requirementNotices(node: string): string[] {
  const [major = 0] = node.split('.').map(Number);
  const notices: string[] = [];
  if (major === 23 || major === 25)
    notices.push(`Node ${node} is not supported: it gets no fixes any more, and nothing is tested with it. Take Node 24.`);
  const graphql = installedGraphQL();
  // npm chooses it by the Node that it runs on, and says nothing.
  if (graphql?.version.startsWith('16.'))
    notices.push(`graphql ${graphql.version} is installed, which has no @defer and no @stream. For these: npm i graphql@17`);
  return notices;
}

function installedGraphQL(): { readonly version: string; readonly folder: string } | undefined {
  // Not by its name: it does not export its package.json.
  for (const folder of createRequire(import.meta.url).resolve.paths('graphql') ?? []) {
    const file = join(folder, 'graphql/package.json');
    if (!existsSync(file)) continue;
    return { version: (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version, folder: dirname(file) };
  }
  return undefined;
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 16 ? minor >= 15 : major > 17 || (major === 17 && minor >= 1);
}

/** The version of this package, from its package.json: above the sources as well as above what is built of them. */
export async function readOwnVersion(): Promise<string> {
  const manifest = new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}
