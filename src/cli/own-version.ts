import { readFile } from 'node:fs/promises';

/** The version of this package, from its package.json: above the sources as well as above what is built of them. */
export async function readOwnVersion(): Promise<string> {
  const manifest = new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}
