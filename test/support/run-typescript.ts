import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ownCompiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** The complaints of tsc about a folder with a tsconfig.json, or about such a file; one a line. Another compiler than this project's may be named. */
export async function runTypeScript(project: string, compiler: string = ownCompiler): Promise<string[]> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [compiler, '-p', project, '--pretty', 'false'], { maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null || stdout.includes('error TS')) resolve(stdout);
      else reject(new Error(stdout + stderr, { cause: error }));
    });
  });
  return output.split('\n').filter((line) => line !== '');
}
