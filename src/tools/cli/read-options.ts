import { parseArgs, parseEnv } from 'node:util';

import { didYouMean } from '../../shared/index.ts';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DevError } from './project/problem.ts';

/** An error in the command line; the message says what to write. */
export class UsageError extends Error {}

/** The options of a command: how they are parsed, and how `--help` describes them. */
export type Options = Readonly<Record<string, Option>>;

interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The placeholder of the value in `--help`. */
  readonly value?: string;
  /** The effect. Names are in backquotes, which only the documentation shows. */
  readonly help: string;
}

/** The values of a command line, by the names of options. */
export type OptionValues<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>['values'];

/** Parses the options and positionals of a command. Throws a UsageError for an unknown option, a missing value or an extra positional. */
export function readOptions<T extends Options>(
  command: string,
  argv: readonly string[],
  options: T,
  maxPositionals = 0,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>> {
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
    const extra = parsed.positionals[maxPositionals];
    if (extra === undefined) return parsed;
    throw new UsageError(`Unexpected argument "${extra}" after ${command}.`);
  } catch (error) {
    const { message } = error as Error;
    const [unknown, name = ''] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    const known = Object.keys(options).map((one) => `--${one}`);
    const problem = unknown === undefined ? message : `${unknown}.${didYouMean(name, known)}`;
    throw new UsageError(`${problem}\nSee graphql-functions ${command} --help`, { cause: error });
  }
}

/** Reads the variables of a file. The default .env is optional; a file named by the user must exist. NODE_ENV is refused, because servers read .env, too. */
export async function readEnvFile(directory: string, named: string | undefined): Promise<NodeJS.Dict<string>> {
  const variables = await readVariables(directory, named);
  if (variables['NODE_ENV'] === undefined) return variables;
  throw new DevError(`Remove NODE_ENV from ${named ?? '.env'}: dev sets it to development, and other commands to test.`);
}

async function readVariables(directory: string, named: string | undefined): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(resolve(directory, named ?? '.env'), 'utf8'));
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new DevError(`Cannot read environment variables from ${named ?? '.env'}: ${(error as Error).message}`, { cause: error });
  }
}
