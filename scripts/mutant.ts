/**
 * Runs tests against changed versions of one source file, in one process, for scripts/mutations.ts. The other sources are loaded once: a
 * module in place of the file passes calls on to the current version. Test files are loaded again for each version, and register their
 * tests with the functions below in place of those of `node:test`.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What this process does, as JSON in its first argument. */
export interface Work {
  readonly file: string;
  readonly tests: readonly string[];
  /** A file with a JSON list of sources. */
  readonly versions: string;
  readonly first: number;
  /** True: nothing but the first version is loaded, from the start. */
  readonly isAlone: boolean;
  /** Tests that are left out, by file and position: without a change they failed, or passed only the first time in the process. */
  readonly unrepeatable?: readonly string[] | undefined;
}

/** The result of one version, which is sent to the parent. "doubtful": the test that failed also fails without a change by now. */
export interface Result {
  /** -1: without a change. */
  readonly version: number;
  readonly state: 'noticed' | 'survived' | 'doubtful';
  readonly unrepeatable: readonly string[];
}

type Run = (context: object) => unknown;

interface Suite {
  readonly parent: Suite | undefined;
  readonly hooks: Readonly<Record<'before' | 'after' | 'beforeEach' | 'afterEach', Run[]>>;
  readonly children: (Suite | { readonly run: Run })[];
}

const createSuite = (parent?: Suite): Suite => ({ parent, hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, children: [] });

/** The tests may replace it. */
const tick = setImmediate;
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

/** The JavaScript of the test files. */
const stripped = new Map<string, string>();

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: testModule, format: 'module', shortCircuit: true } : next(specifier, context),
  load: (loaded, context, next) => {
    const [path = '', query] = loaded.split('?');
    if (path.endsWith('.test.ts') && query !== undefined) {
      if (!stripped.has(path)) stripped.set(path, stripTypeScriptTypes(readFileSync(fileURLToPath(path), 'utf8')));
      return { format: 'module', shortCircuit: true, source: stripped.get(path)! };
    }
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
    // For what nobody has awaited.
    await new Promise((resolve) => tick(resolve));
    for (const { hooks } of suites) for (const after of hooks.afterEach) await after(context);
  };
  try {
    await Promise.race([all(), crash]);
    return true;
  } catch (error) {
    if (work.first < 0) console.error(error);
    return false;
  } finally {
    for (const end of ends.toReversed()) await Promise.resolve(end()).catch(() => {});
    mock.reset();
  }
}

const unrepeatable = new Set(work.unrepeatable);

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
        const isIncluded = only === undefined ? !unrepeatable.has(`${file} ${position}`) : only === position;
        if (isIncluded && !(await passes(inner, child.run))) return position;
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

let { tests } = work;

/** Runs the tests without a change, and leaves out those that fail. False: too many fail. */
async function leaveOutFailing(): Promise<boolean> {
  for (const file of tests) {
    let failed: number | undefined;
    do {
      failed = await failureIn(file, `${performance.now()}`);
      if (failed !== undefined) unrepeatable.add(`${file} ${failed}`);
    } while (failed !== undefined && unrepeatable.size < 20);
  }
  return unrepeatable.size < 20;
}

async function examine(version: number): Promise<Result['state']> {
  const changed = (await import(url)) as Switch;
  if (!work.isAlone) {
    const current = await import(`${url}?${version}`).catch(() => undefined);
    if (current === undefined) return 'noticed';
    changed.$use(current as object);
  }
  for (const file of tests) {
    const failed = await failureIn(file, `${version}`);
    if (failed === undefined) continue;
    if (work.isAlone) return 'noticed';
    // The file that has noticed this version may well notice the next one.
    tests = [file, ...tests.filter((other) => other !== file)];
    changed.$use((await import(`${url}?original`)) as object);
    return (await failureIn(file, `${version} original`, failed)) === undefined ? 'noticed' : 'doubtful';
  }
  return 'survived';
}

/** Resolves when the result is sent: the next version may keep this process from sending anything. */
const tell = (version: number, state: Result['state']): Promise<void> =>
  new Promise((resolve) => process.send!({ version, state, unrepeatable: [...unrepeatable] } satisfies Result, () => resolve()));

if (work.isAlone) await tell(work.first, await examine(work.first).catch(() => 'noticed' as const));
else if (work.first < 0) await tell(-1, (await leaveOutFailing()) && (await leaveOutFailing()) ? 'survived' : 'noticed');
else
  for (let version = work.first; version < versions.length; version++) {
    const state = await examine(version);
    await tell(version, state);
    if (state === 'doubtful') break;
  }
process.exit();
