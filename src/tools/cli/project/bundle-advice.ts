/**
 * What helps against an error that code throws only because it was bundled. Undefined for other errors.
 *
 * The bundle is an ES module, so it has no `__dirname`, and a module whose name is computed is not in it.
 */
export function bundleAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error) || !isOfBundle(error)) return undefined;
  return (
    packageAdvice(error.stack) ??
    'A deployed bundle is an ES module: write import.meta.dirname instead of __dirname, and import modules by literal names.'
  );
}

/** What helps when a package in the stack of an error fails only in a bundle. Undefined when the stack has no package. */
export function packageAdvice(stack = ''): string | undefined {
  const [, name] = /^.*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//m.exec(stack) ?? [];
  if (name === undefined) return undefined;
  return (
    `If ${name} does not work from within a bundle, leave it out: --external ${name} for graphql-functions, --external:${name} for ` +
    'esbuild. Then deploy it in node_modules (docs/deploy.md).'
  );
}

function isOfBundle({ name, message, code }: Error & { readonly code?: string }): boolean {
  return (name === 'ReferenceError' && /\b__(?:dirname|filename) is not defined/.test(message)) || code === 'MODULE_NOT_FOUND';
}
