/**
 * Runs tests against changed versions of one source file, in one process, for scripts/mutations.ts. The other sources are loaded once: a
 * module in place of the file passes calls on to the current version. Test files are loaded again for each version, and register their
 * tests with the functions below in place of those of `node:test`.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What this process does, as JSON in its first argument. */
export interface Work {
  readonly file: string;
  readonly tests: readonly string[];
  /** A file with a JSON list of sources. */
  readonly versions: string;
  readonly first: number;
  /** True: nothing but the first version is loaded, from the start. */
  readonly isAlone: boolean;
}

/** The result of one version, which is sent to the parent. "doubtful": the test that failed also fails without a change by now. */
export interface Result {
  /** -1: without a change. */
  readonly version: number;
  readonly state: 'noticed' | 'survived' | 'doubtful';
}

type Run = (context: object) => unknown;

interface Suite {
  readonly parent: Suite | undefined;
  readonly hooks: Readonly<Record<'before' | 'after' | 'beforeEach' | 'afterEach', Run[]>>;
  readonly children: (Suite | { readonly run: Run })[];
}

const createSuite = (parent?: Suite): Suite => ({ parent, hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, children: [] });

const { mock } = process.getBuiltinModule('node:test');
let suite = createSuite();

function describe(_name: string, ...rest: unknown[]): void {
  const inner = createSuite(suite);
  suite.children.push(inner);
  const outer = suite;
  suite = inner;
  try {
    (rest.at(-1) as () => void)();
  } finally {
    suite = outer;
  }
}

function test(_name: string, ...rest: unknown[]): void {
  const isSkipped = Boolean((rest[0] as { readonly skip?: unknown }).skip);
  if (!isSkipped) suite.children.push({ run: rest.at(-1) as Run });
}

const hook = (name: keyof Suite['hooks']) => (run: Run) => void suite.hooks[name].push(run);

const hookFunctions = { before: hook('before'), after: hook('after'), beforeEach: hook('beforeEach'), afterEach: hook('afterEach') };
/** For the module that replaces `node:test`. */
const testFunctions = { describe, suite: describe, test, it: test, mock, ...hookFunctions };
Object.assign(globalThis, { testFunctions });
const testModule = `data:text/javascript,export const { ${Object.keys(testFunctions).join(', ')} } = globalThis.testFunctions;`;

const work = JSON.parse(process.argv[2]!) as Work;
const versions = JSON.parse(readFileSync(work.versions, 'utf8')) as string[];
const source = readFileSync(work.file, 'utf8');
const url = pathToFileURL(work.file).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: testModule, format: 'module', shortCircuit: true } : next(specifier, context),
  load: (loaded, context, next) => {
    if (!loaded.startsWith(url)) return next(loaded, context);
    const version = loaded.slice(url.length + 1);
    const module = { format: 'module', shortCircuit: true } as const;
    if (version === '' && !work.isAlone) return { ...module, source: switchingModule() };
    return { ...module, source: stripTypeScriptTypes(version === 'original' ? source : versions[Number(version || work.first)]!) };
  },
});

interface Switch {
  readonly $use: (version: object) => void;
}

/** A module with the exports of the file. Functions call the current version, because other modules may have stored them. */
function switchingModule(): string {
  const exported = [...source.matchAll(/^export (?:async )?(function|class|const|let) (\w+)/gm)].map(([, kind, name]) => ({ kind, name }));
  const values = exported.filter(({ kind }) => kind !== 'function');
  return [
    `import * as original from '${url}?original';`,
    'let current = original;',
    ...values.map(({ name }) => `export let ${name} = original.${name};`),
    ...exported
      .filter(({ kind }) => kind === 'function')
      .map(({ name }) => `export function ${name}(...given) { return current.${name}(...given); }`),
    `export function $use(version) { current = version; ${values.map(({ name }) => `${name} = version.${name};`).join(' ')} }`,
  ].join('\n');
}

let isUnchanged = false;
let crashed: (error: unknown) => void = () => {};
process.on('uncaughtException', (error) => crashed(error));
process.on('unhandledRejection', (error) => crashed(error));

/** The suites around a test, the outermost first. */
const around = (inner: Suite): Suite[] => (inner.parent === undefined ? [inner] : [...around(inner.parent), inner]);

async function passes(inner: Suite, run: Run): Promise<boolean> {
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end), diagnostic: () => {}, mock, signal: new AbortController().signal };
  const crash = new Promise<never>((_, reject) => (crashed = reject));
  crash.catch(() => {});
  const all = async (): Promise<void> => {
    const suites = around(inner);
    for (const { hooks } of suites) for (const before of hooks.beforeEach) await before(context);
    await run(context);
    for (const { hooks } of suites) for (const after of hooks.afterEach) await after(context);
  };
  try {
    await Promise.race([all(), crash]);
    return true;
  } catch (error) {
    if (isUnchanged) console.error(error);
    return false;
  } finally {
    for (const end of ends.toReversed()) await Promise.resolve(end()).catch(() => {});
    mock.reset();
  }
}

/** Returns the position of the first test that fails, or of all tests only the one at `only`; undefined if none fails. */
async function failureIn(file: string, version: string, only?: number): Promise<number | undefined> {
  suite = createSuite();
  const root = suite;
  await import(`${pathToFileURL(file).href}?${version}`);
  let position = 0;
  const failure = async (inner: Suite): Promise<number | undefined> => {
    for (const before of inner.hooks.before) await before({});
    for (const child of inner.children) {
      if ('run' in child) {
        position++;
        if ((only === undefined || only === position) && !(await passes(inner, child.run))) return position;
      } else {
        const failed = await failure(child);
        if (failed !== undefined) return failed;
      }
    }
    for (const after of inner.hooks.after) await after({});
    return undefined;
  };
  try {
    return await failure(root);
  } catch {
    return 0;
  }
}

async function examine(version: number): Promise<Result['state']> {
  isUnchanged = version < 0;
  const changed = (await import(url)) as Switch;
  if (!work.isAlone) {
    const current = await import(`${url}?${version < 0 ? 'original' : version}`).catch(() => undefined);
    if (current === undefined) return 'noticed';
    changed.$use(current as object);
  }
  for (const file of work.tests) {
    const failed = await failureIn(file, `${version}`);
    if (failed === undefined) continue;
    if (work.isAlone || version < 0) return 'noticed';
    changed.$use((await import(`${url}?original`)) as object);
    return (await failureIn(file, `${version} original`, failed)) === undefined ? 'noticed' : 'doubtful';
  }
  return 'survived';
}

/** Resolves when the result is sent: the next version may keep this process from sending anything. */
const tell = (result: Result): Promise<void> => new Promise((resolve) => process.send!(result, () => resolve()));

if (work.isAlone) await tell({ version: work.first, state: await examine(work.first).catch(() => 'noticed' as const) });
else
  for (let version = work.first; version < versions.length; version++) {
    const state = await examine(version);
    await tell({ version, state });
    if (state === 'doubtful') break;
  }
process.exit();
