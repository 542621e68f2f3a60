// Imports a bundle, which comes from stdin, under the URL of the user's file, and reports whether that succeeds. Of the packages in
// node_modules, it finds only those that are deployed with the bundle.

import { isBuiltin, registerHooks } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { packageOf } from '../project/installed-packages.ts';

/** What the process reports. */
export type LoadOutcome = { readonly kind: 'loaded' } | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

process.setSourceMapsEnabled(true);
const [, , file = '', ...deployed] = process.argv;
const address = pathToFileURL(file).href;
const source = await buffer(process.stdin);
registerHooks({
  resolve: (specifier, context, next) => {
    if (context.parentURL === address && isMissing(specifier))
      throw Object.assign(new Error(`Cannot find package '${specifier}': it is not in the bundle`), { code: 'MODULE_NOT_FOUND' });
    return next(specifier, context);
  },
  load: (url, context, next) => (url === address ? { format: 'module', source, shortCircuit: true } : next(url, context)),
});
const outcome = await load();
// Timers and connections of the function would keep the process alive.
process.send?.(outcome, () => process.exit());

function isMissing(specifier: string): boolean {
  // Lambda has the AWS SDK.
  const isPackage = /^[@\w]/.test(specifier) && !/^\w+:/.test(specifier) && !isBuiltin(specifier) && !specifier.startsWith('@aws-sdk/');
  return isPackage && !deployed.includes(packageOf(specifier));
}

async function load(): Promise<LoadOutcome> {
  try {
    await import(address);
    return { kind: 'loaded' };
  } catch (error) {
    if (!(error instanceof Error)) return { kind: 'failed', message: String(error), stack: '' };
    return { kind: 'failed', message: error.message, stack: error.stack ?? '' };
  }
}
