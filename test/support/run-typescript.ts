import { execFile } from 'node:child_process';
import { join } from 'node:path';

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
