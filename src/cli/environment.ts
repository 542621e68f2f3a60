import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

import { DevError } from './project/dev-error.ts';

/** The variables of a file. The project's .env need not be there; one that was named must. */
export async function readEnvFile(directory: string, named: string | undefined): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(resolve(directory, named ?? '.env'), 'utf8'));
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new DevError(`Cannot read the variables of ${named ?? '.env'}: ${(error as Error).message}`, { cause: error });
  }
}
