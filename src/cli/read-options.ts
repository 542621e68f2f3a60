import { parseArgs, parseEnv } from 'node:util';

import { didYouMean } from '../message/did-you-mean.ts';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DevError } from './project/problem.ts';

/** An error in the user's words on the command line, which have to be changed. */
export class UsageError extends Error {}

type OptionTypes = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** The options and the other words of a command. Throws a UsageError for an option that it does not have, or that lacks its value. */
export function readOptions<T extends OptionTypes>(
  command: string,
  argv: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>> {
  const { tokens } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === 'option') assertOption(command, token, options);
  return parseArgs({ args: [...argv], options, allowPositionals: true });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  /** True when the value came behind "=". */
  readonly inlineValue: boolean | undefined;
}

function assertOption(command: string, { name, rawName, value, inlineValue }: OptionToken, options: OptionTypes): void {
  const help = `graphql-functions ${command} --help`;
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
  if (value === undefined) throw new UsageError(`${rawName} takes a value, got none. ${help}`);
  // Most likely the next option, and the value was forgotten.
  if (inlineValue !== true && value.startsWith('-') && value !== '-')
    throw new UsageError(`${rawName} takes a value, got the option ${value}. A value that starts with "-": ${rawName}=${value}. ${help}`);
}

/** The variables of a file. The project's .env need not be there; one that was named must. */
export async function readEnvFile(directory: string, named: string | undefined): Promise<NodeJS.Dict<string>> {
  try {
    return parseEnv(await readFile(resolve(directory, named ?? '.env'), 'utf8'));
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new DevError(`Cannot read the variables of ${named ?? '.env'}: ${(error as Error).message}`, { cause: error });
  }
}
