import { fileURLToPath } from 'node:url';

/** A built file of the command line, also when Node runs the sources: it loads faster. */
export function builtFile(name: string): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../../../dist/esm/cli' : '.';
  return fileURLToPath(new URL(`${folder}/${name}.js`, import.meta.url));
}
