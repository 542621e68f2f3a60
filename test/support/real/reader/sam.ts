/**
 * Replaces the SAM command line, which is not an npm package: `sam build` bundles each function of template.yaml with the esbuild of
 * the project and the settings of its Metadata, into .aws-sam/build/<function>, as SAM's own builder calls it. `sam deploy` deploys
 * nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [command = ''] = process.argv.slice(2);
if (command === 'build') build();
else if (command === 'deploy') console.log('(a stand-in: nothing is deployed)');
else throw new Error(`There is no sam ${command} here.`);

function build(): void {
  if (!existsSync('package.json')) throw new Error('SAM wants a package.json beside the template.');
  const template = readFileSync('template.yaml', 'utf8').replaceAll(/^ *#.*\n/gm, '');
  for (const [, name = '', text = ''] of template.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm)) {
    if (!text.includes('Type: AWS::Serverless::Function')) continue;
    bundle(name, text);
    console.log(`Built ${name} in .aws-sam/build/${name}`);
  }
  console.log('Build Succeeded');
}

function bundle(name: string, text: string): void {
  const setting = (key: string): string | undefined => new RegExp(`^ +${key}: (.+)$`, 'm').exec(text)?.[1];
  const list = (key: string): string[] => setting(key)?.replaceAll(/[[\]]/g, '').split(/, ?/) ?? [];
  if (setting('BuildMethod') !== 'esbuild') throw new Error(`Expected BuildMethod: esbuild of ${name}.`);
  const flags = [
    ...list('EntryPoints'),
    '--bundle',
    '--platform=node',
    `--outdir=${join('.aws-sam/build', name)}`,
    `--format=${setting('Format') ?? 'cjs'}`,
    `--target=${setting('Target') ?? 'es2020'}`,
    // SAM minifies by default.
    ...(setting('Minify') === 'false' ? [] : ['--minify']),
    ...(setting('Sourcemap') === 'true' ? ['--sourcemap'] : []),
    ...list('OutExtension').map((pair) => `--out-extension:${pair}`),
    ...list('Loader').map((pair) => `--loader:${pair}`),
    ...Array.from(text.matchAll(/^ +- (js=.+)$/gm), ([, banner]) => `--banner:${banner}`),
  ];
  execFileSync('node_modules/.bin/esbuild', flags, { stdio: 'inherit' });
}
