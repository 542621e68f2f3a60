import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

/**
 * Runs the text of an ES module in a process of its own, with the given NODE_ENV or none, and reads what it prints as JSON.
 * The environment variable ENTRY names the main entry's source.
 */
export async function runProgram<T>(program: string, nodeEnv: string | undefined): Promise<T> {
  const { NODE_ENV: _, NODE_TEST_CONTEXT: __, ...environment } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    cwd: root,
    env: { ...environment, ...(nodeEnv !== undefined && { NODE_ENV: nodeEnv }), ENTRY: join(root, 'src/index.ts') },
  });
  return JSON.parse(stdout) as T;
}
