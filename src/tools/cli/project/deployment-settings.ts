import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that configure the bundler of a deployment. */
const settingsFiles: readonly string[] = [
  'package.json',
  'netlify.toml',
  'template.yaml',
  'template.yml',
  'serverless.yml',
  'serverless.yaml',
  'serverless.ts',
  'wrangler.toml',
  'wrangler.json',
  'wrangler.jsonc',
  'sst.config.ts',
  ...['esbuild', 'esbuild.config', 'build', 'vite.config', 'rollup.config', 'rolldown.config', 'webpack.config', 'next.config'].flatMap(
    (name) => ['js', 'mjs', 'cjs', 'ts', 'mts'].map((extension) => `${name}.${extension}`),
  ),
];

/** True if a test is true for the name and text of one of these files in the project. */
export async function someSettings(directory: string, test: (name: string, text: string) => boolean): Promise<boolean> {
  const found = settingsFiles.map(async (name) => {
    const text = await readFile(join(directory, name), 'utf8').catch(() => undefined);
    return text !== undefined && test(name, text);
  });
  return (await Promise.all(found)).includes(true);
}
