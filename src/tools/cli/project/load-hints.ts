import { readFile } from 'node:fs/promises';

interface Loaded {
  /** The file that is imported. */
  readonly output: string;
  /** Files of the user that import each other. */
  readonly circle?: readonly string[] | undefined;
}

/** Imports a module. If it throws, the message continues with files that import each other, or with variables that are not set. */
export async function withHints<T>({ output, circle }: Loaded, load: () => Promise<T>): Promise<T> {
  const { env } = process;
  const missing = new Set<string>();
  process.env = new Proxy(env, {
    get(target, name) {
      const value = Reflect.get(target, name) as string | undefined;
      if (value === undefined && /^\w+$/.test(String(name))) missing.add(String(name));
      return value;
    },
  });
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof SyntaxError) throw error;
    const hint =
      circle !== undefined && /before initialization|undefined/.test(error.message)
        ? `These files import each other, so one reads what another has not defined yet: ${circle.join(' → ')}. Move what both need to a third file.`
        : await variableHint(missing, output);
    const { message, stack = '' } = error;
    if (hint !== '') Object.assign(error, { message: `${message}\n${hint}`, stack: stack.replace(message, () => `${message}\n${hint}`) });
    throw error;
  } finally {
    process.env = env;
  }
}

/** Packages read many variables that are never set, so only those that the file itself names count. */
async function variableHint(missing: ReadonlySet<string>, output: string): Promise<string> {
  const text = missing.size === 0 ? '' : await readFile(output, 'utf8');
  const named = [...missing].filter((name) => new RegExp(String.raw`\benv\b.{0,40}\b${name}\b|\b${name}\b[^;]{0,80}\benv\b`).test(text));
  return named.length === 0
    ? ''
    : `Not set: ${named.join(', ')}. Write ${named.map((name) => `${name}=…`).join(' and ')} in .env, or set it where this runs.`;
}
