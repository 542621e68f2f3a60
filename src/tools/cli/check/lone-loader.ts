// Imports a bundle, which comes from stdin, as if it were deployed into an empty folder, and reports whether that succeeds. Of the packages
// in node_modules, it finds only those that are deployed with the bundle.

import { isBuiltin, registerHooks } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { packageOf } from '../project/installed-packages.ts';

/** What to load. The working directory stands for the project's folder in the deployment. */
export interface LoneBundle {
  /** The user's file. */
  readonly file: string;
  /** The path of the bundle in the deployment. */
  readonly path: string;
  /** The packages that are deployed with the bundle. */
  readonly packages: readonly string[];
  /** Report the names of the schema's types. */
  readonly readsTypes: boolean;
}

/** What the process reports. */
export type LoadOutcome =
  | { readonly kind: 'loaded'; readonly types: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly stack: string;
      /** The file that does not exist. */ readonly missing?: string;
    };

process.setSourceMapsEnabled(true);
const { file, path, packages, readsTypes } = JSON.parse(process.argv[2] ?? '') as LoneBundle;
const address = pathToFileURL(join(process.cwd(), path)).href;
const source = await buffer(process.stdin);
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === address) return { url: address, shortCircuit: true };
    if (context.parentURL !== address) return next(specifier, context);
    if (isMissing(specifier))
      throw Object.assign(new Error(`Cannot find package '${specifier}': it is not in the bundle`), { code: 'MODULE_NOT_FOUND' });
    return next(specifier, { ...context, parentURL: pathToFileURL(file).href });
  },
  load: (url, context, next) => (url === address ? { format: 'module', source, shortCircuit: true } : next(url, context)),
});
const outcome = await load();
// Timers and connections of the function would keep the process alive.
process.send?.(outcome, () => process.exit());

function isMissing(specifier: string): boolean {
  // Lambda has the AWS SDK.
  const isPackage = /^[@\w]/.test(specifier) && !/^\w+:/.test(specifier) && !isBuiltin(specifier) && !specifier.startsWith('@aws-sdk/');
  return isPackage && !packages.includes(packageOf(specifier));
}

async function load(): Promise<LoadOutcome> {
  try {
    // Imported only when needed: it loads graphql.
    const recorded = readsTypes ? (await import('../project/recorded-servers.ts')).recordServers() : undefined;
    await import(address);
    const schemas = await recorded?.servers[0]?.schemas();
    return { kind: 'loaded', types: Object.keys(schemas?.seen.getTypeMap() ?? {}) };
  } catch (error) {
    if (!(error instanceof Error)) return { kind: 'failed', message: String(error), stack: '' };
    const { message, stack = '', code, path: missing } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, stack, ...(code === 'ENOENT' && missing !== undefined && { missing }) };
  }
}
