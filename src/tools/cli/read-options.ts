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
  /** What stands for the value in `--help`. */
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
  const { tokens } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === 'option') assertOption(command, token, options);
  const parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  const extra = parsed.positionals[maxPositionals];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}" after ${command}. See graphql-functions ${command} --help`);
  return parsed;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  /** True when the value follows "=". */
  readonly inlineValue: boolean | undefined;
}

function assertOption(command: string, { name, rawName, value, inlineValue }: OptionToken, options: Options): void {
  const help = `See graphql-functions ${command} --help`;
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
  if (type === undefined) {
    const near = didYouMean(
      rawName,
      Object.keys(options).map((known) => `--${known}`),
    );
    throw new UsageError(`${command} has no option ${rawName}.${near} ${help}`);
  }
  if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value, got "${value}". ${help}`);
  if (type === 'boolean') return;
  if (value === undefined) throw new UsageError(`${rawName} requires a value, got none. ${help}`);
  // Most likely the value was forgotten and this is the next option.
  if (inlineValue !== true && value.startsWith('-') && value !== '-')
    throw new UsageError(
      `${rawName} requires a value, got the option ${value}. For a value that starts with "-", write ${rawName}=${value}. ${help}`,
    );
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
