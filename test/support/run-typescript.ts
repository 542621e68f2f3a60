import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const ownCompiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** The error messages of tsc, one per line, for a folder with a tsconfig.json or for such a file. Another compiler than that of this project can be named. */
export async function runTypeScript(project: string, compiler: string = ownCompiler): Promise<string[]> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [compiler, '-p', project, '--pretty', 'false'], { maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null || stdout.includes('error TS')) resolve(stdout);
      else reject(new Error(stdout + stderr, { cause: error }));
    });
  });
  return output.split('\n').filter((line) => line !== '');
}

/** The error messages of tsc about a module in a folder of this project, of which ../../src is the source. */
export async function complaintsAbout(t: TestContext, code: string): Promise<string[]> {
  const cache = join(import.meta.dirname, '../../.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'compiled-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'calls.ts'), code);
  await writeFile(join(folder, 'tsconfig.json'), '{ "extends": "../../test/slow/types.tsconfig.json", "files": ["calls.ts"] }');
  const messages = (await runTypeScript(folder)).join('\n').split(/^(?=\S)/m);
  return messages.filter((message) => message.includes('calls.ts'));
}
