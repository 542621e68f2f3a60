// Imports only Node's built-in modules: other imports may fail before this check.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFile } from 'node:fs/promises';

/** Why this package cannot run here, and how to fix it. Undefined if it can. */
export function missingRequirement(node: string): string | undefined {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    return (
      `graphql-functions requires Node.js 22.19+, 24 or 26; this is Node.js ${node}. Install one from nodejs.org, ` +
      'or for this project only: npm i -D node@24'
    );
  }
  const graphql = installedGraphQL();
  if (graphql === undefined) return 'graphql-functions requires the package graphql, which is not installed: npm i graphql';
  const [release = 0, feature = 0] = graphql.version.split('.').map(Number);
  if (release > 17 || feature >= (release === 16 ? 15 : release === 17 ? 1 : Infinity)) return undefined;
  return `graphql-functions requires graphql 16.15+ or 17.1+; ${graphql.folder} contains ${graphql.version}: npm i graphql@17`;
}

function installedGraphQL(): { readonly version: string; readonly folder: string } | undefined {
  try {
    // Only the resolver knows where packages are, because Yarn's Plug'n'Play has no folder of packages. graphql does not export its
    // package.json.
    let folder = dirname(createRequire(import.meta.url).resolve('graphql'));
    while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { version, folder };
  } catch {
    return undefined;
  }
}

/** The folder of this package. It is at the same relative path from the sources and from the build. */
export const packageRoot: URL = new URL('../../../', import.meta.url);

/** The version of this package. */
export async function readPackageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as { version: string };
  return version;
}
