import type { Metafile } from 'esbuild';

type Inputs = Metafile['inputs'];

/** The paths of the user's files that import each other, in the order of their imports, the first also at the end. Undefined: none do. */
export function findImportCircle(inputs: Inputs): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (path: string, above: readonly string[]): readonly string[] | undefined => {
    const begin = above.indexOf(path);
    if (begin >= 0) return [...above.slice(begin), path];
    if (finished.has(path)) return undefined;
    for (const next of importsOf(inputs, path)) {
      const circle = visit(next, [...above, path]);
      if (circle !== undefined) return circle;
    }
    finished.add(path);
    return undefined;
  };
  for (const path of Object.keys(inputs)) {
    const circle = visit(path, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** The static imports: the others run later. */
function importsOf(inputs: Inputs, path: string): readonly string[] {
  const imports = inputs[path]?.imports ?? [];
  return imports.filter((one) => one.kind === 'import-statement' && one.external !== true).map((one) => one.path);
}
