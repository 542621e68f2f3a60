/** `checkWhole` of check-whole.ts; its type is written here again, for an import would put the file into bundles. */
export type CheckWhole = (texts: readonly string[], resolvers: Readonly<Record<string, object>>) => void;

/**
 * Finds the checker of whole schemas, or says why it cannot.
 *
 * It is a development tool and must not add a byte to a production bundle, also where the bundler cannot
 * split (esbuild without splitting puts a dynamic import into the one file). So nothing here mentions it in
 * a way that a bundler follows: Node's own `require`, got from the process, loads it
 * - from the file next to this one, when this package runs as it was installed (or from its sources), so
 *   that checker and server share one graphql;
 * - by the package's name, when this file is part of somebody's bundle; then the checker has a graphql of
 *   its own, which is why it takes text and resolvers, and returns nothing.
 */
export function findCheck(): CheckWhole | { readonly missing: string } {
  const nodeModule = globalThis.process?.getBuiltinModule?.('node:module');
  if (nodeModule === undefined) return { missing: 'this platform has no node:module' };
  let missing = '';
  for (const [from, specifier] of candidates()) {
    try {
      return nodeModule.createRequire(from)(specifier).checkWhole as CheckWhole;
    } catch (error) {
      missing = String(error instanceof Error ? error.message.split('\n')[0] : error);
    }
  }
  return { missing };
}

function candidates(): readonly (readonly [from: string, specifier: string])[] {
  const here = ownFile();
  const fromProject = [`${process.cwd()}/`, 'graphql-functions/schema-check'] as const;
  if (here === undefined) return [fromProject];
  const [, extension] = /\bfind-check(\.[a-z]+)$/.exec(here) ?? [];
  const sibling = extension === undefined ? [] : [[here, `./check-whole${extension}`] as const];
  return [...sibling, [here, 'graphql-functions/schema-check'], fromProject];
}

/**
 * The file this runs from. Not `import.meta.url`, which the CommonJS build and CommonJS bundles do not have,
 * nor `__filename`, which ES modules do not have: the call site is known in both.
 */
function ownFile(): string | undefined {
  const file = process.getBuiltinModule('node:util').getCallSites?.(1)[0]?.scriptName;
  return file !== undefined && /^(?:file:|\/|[A-Za-z]:\\)/.test(file) ? file : undefined;
}
