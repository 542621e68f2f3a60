import { readFileSync } from 'node:fs';

import { messageOf } from '../../../shared/index.ts';

/** What is known of a function's files, for hints about errors while it loads. */
export interface LoadedFiles {
  /** The absolute paths of the user's files. */
  readonly files: readonly string[];
  /** Files that import each other. Undefined: none do. */
  readonly circle?: readonly string[] | undefined;
}

const hints = new WeakMap<object, string>();

/** A likely cause of an error that the function threw while it loaded, after a line break. Empty if there is none. */
export function hintFor(error: unknown): string {
  const hint = typeof error === 'object' && error !== null ? hints.get(error) : undefined;
  return hint === undefined ? '' : `\n${hint}`;
}

/** Runs the function's module. If it throws, notes the circular import or the missing variables that may be the reason. */
export async function withHints<T>({ files, circle }: LoadedFiles, load: () => Promise<T>): Promise<T> {
  const variables = watchVariables();
  try {
    return await load();
  } catch (error) {
    const hint = circleHint(messageOf(error), circle) ?? variableHint(variables.missing, files);
    if (hint !== undefined && typeof error === 'object' && error !== null) hints.set(error, hint);
    throw error;
  } finally {
    variables.stop();
  }
}

/** Names files that import each other, if a message is about a value that is not there: bundles make constants of such files undefined. */
export function circleHint(message: string, circle: readonly string[] | undefined): string | undefined {
  if (circle === undefined || !/before initialization|undefined/.test(message)) return undefined;
  return `These files import each other, so one of them reads what the other has not defined yet: ${circle.join(' → ')}. Move what both need to a third file.`;
}

/** Packages read many variables that are never set, so only those that the user's files name count. */
function variableHint(missing: ReadonlySet<string>, files: readonly string[]): string | undefined {
  if (missing.size === 0) return undefined;
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const named = [...missing].filter((name) => texts.some((text) => text.includes(name)));
  if (named.length === 0) return undefined;
  return `Not set: ${named.join(', ')}. The function read ${named.length === 1 ? 'this variable' : 'these variables'} while it loaded: set it in .env, or with --env NAME=value.`;
}

interface WatchedVariables {
  /** The names that were read but have no value. */
  readonly missing: ReadonlySet<string>;
  stop(): void;
}

function watchVariables(): WatchedVariables {
  const { env } = process;
  const missing = new Set<string>();
  process.env = new Proxy(env, {
    get(target, name) {
      const value = Reflect.get(target, name) as string | undefined;
      if (value === undefined && typeof name === 'string') missing.add(name);
      return value;
    },
  });
  return { missing, stop: () => void (process.env = env) };
}
