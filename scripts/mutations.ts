/**
 * Changes one expression of a security-relevant file at a time, and runs the tests of its area: a change that no test notices shows a
 * behavior without a test. Prints the changes that survived, and the score of each file.
 *
 *     npm run mutations                              every file of the table: about 15 minutes of CPU
 *     npm run mutations -- csrf router-secret        the files whose path contains one of these words
 *
 * The sources stay as they are: a hook loads the changed text in place of the file.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { areas } from './security-relevant.ts';

process.chdir(join(import.meta.dirname, '..'));

const directory = mkdtempSync(join(tmpdir(), 'graphql-functions-mutations-'));
process.on('exit', () => rmSync(directory, { recursive: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A change of one line; of a statement of several lines, the first one is shown. */
interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Loads the changed text in place of a file. */
const hook = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module';
  import { readFileSync } from 'node:fs';
  const { MUTANT_URL, MUTANT_PATH } = process.env;
  registerHooks({ load: (url, context, next) =>
    url === MUTANT_URL ? { format: 'module', shortCircuit: true, source: readFileSync(MUTANT_PATH, 'utf8') } : next(url, context) });`)}`;

/** Returns how many of the changes the tests notice, and how many changes there are. */
async function examine(file: string, tests: readonly string[]): Promise<readonly [noticed: number, all: number]> {
  const source = readFileSync(file, 'utf8');
  const mutations = mutationsOf(source);
  const startedAt = performance.now();
  if (!(await passes(file, tests, source))) throw new Error(`The tests of ${file} fail without a change.`);
  const timeout = Math.ceil(10_000 + 5 * (performance.now() - startedAt));
  const waiting = [...mutations];
  let survived = 0;
  const work = async (): Promise<void> => {
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      if (!(await passes(file, tests, applied(source, mutation), timeout))) continue;
      survived++;
      console.log(shown(file, source, mutation));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return [mutations.length - survived, mutations.length];
}

let versions = 0;

/** True if all tests pass with this text in place of the file. A process that crashes, or does not end in time, has noticed the change. */
function passes(file: string, tests: readonly string[], text: string, timeout = 0): Promise<boolean> {
  const path = join(directory, `${versions++}.js`);
  writeFileSync(path, stripTypeScriptTypes(text));
  const env = {
    ...process.env,
    MUTANT_URL: pathToFileURL(resolve(file)).href,
    MUTANT_PATH: path,
    NODE_NO_WARNINGS: '1',
    NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
  };
  const given = [`--import=${hook}`, '--test', '--test-isolation=none', ...tests];
  return new Promise((done) => {
    execFile(process.execPath, given, { env, timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 28 }, (error) => done(error === null));
  });
}

function mutationsOf(source: string): Mutation[] {
  // Types become spaces, so the places in the text stay the same.
  const code = withoutTexts(stripTypeScriptTypes(source));
  return [...swaps(code), ...negations(code, source), ...removals(code), ...constants(code, source)].filter((mutation) =>
    isValid(source, mutation),
  );
}

function isValid(source: string, mutation: Mutation): boolean {
  try {
    stripTypeScriptTypes(applied(source, mutation));
    return true;
  } catch {
    return false;
  }
}

const applied = (source: string, { start, end, text }: Mutation): string => source.slice(0, start) + text + source.slice(end);

function shown(file: string, source: string, mutation: Mutation): string {
  const from = source.lastIndexOf('\n', mutation.start - 1) + 1;
  const lineOf = (text: string): string => text.slice(from).split('\n', 1)[0]!.trim();
  const line = source.slice(0, mutation.start).split('\n').length;
  return `${file}:${line}: ${lineOf(source)} → ${lineOf(applied(source, mutation))}`;
}

const opposites: Readonly<Record<string, string>> = {
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '^': '&',
  '|=': '&=',
};

function swaps(code: string): Mutation[] {
  const operators = [...code.matchAll(/(?<= )(?:&&|\|\||\?\?|[!=]==|[<>]=?|[+^-]|\|=)(?= )/g)];
  const flags = [...code.matchAll(/(?<![\w$])(?:true|false)(?![\w$])/g)];
  return [
    ...operators.map(({ 0: operator, index }) => ({ start: index, end: index + operator.length, text: opposites[operator]! })),
    ...flags.map(({ 0: flag, index }) => ({ start: index, end: index + flag.length, text: flag === 'true' ? 'false' : 'true' })),
  ];
}

/** A condition that another change negates already: one comparison, or one `!`. */
const hasOpposite = /^(?:[^&|?<>]+ [!=]== [^&|?<>]+|![^&|?<>=]+)$/;

/** Conditions of `if` and `?`, and what `!` negates. */
function negations(code: string, source: string): Mutation[] {
  const ifs = [...code.matchAll(/\bif \(/g)].map(
    ({ 0: { length }, index }) => [index + length, closing(code, index + length - 1)] as const,
  );
  const choices = [...code.matchAll(/ \? /g)].map(({ index }) => [operandBefore(code, index), index] as const);
  const conditions = [...ifs, ...choices].filter(([start, end]) => !hasOpposite.test(code.slice(start, end)));
  const negated = [...code.matchAll(/!(?=[\w(])/g)].map(({ index }) => ({ start: index, end: index + 1, text: '' }));
  return [...negated, ...conditions.map(([start, end]) => ({ start, end, text: `!(${source.slice(start, end)})` }))];
}

/** Statements that call something, throw, or return a value; without `return false`, which is as good as `return`. */
function removals(code: string): Mutation[] {
  const calls = [
    ...code.matchAll(/(?<=^\s*|\) |else )(?!if\b|for\b|while\b|switch\b|return\b|throw\b|super\b)(?:await |void )?[\w$.#?]+\(/gm),
  ];
  const leaves = [...code.matchAll(/\b(?:throw|return) (?!undefined;|false;)/g)];
  return [...calls, ...leaves].flatMap(({ 0: found, index }) => {
    const end = endOfStatement(code, index);
    if (end === undefined) return [];
    return [{ start: index, end, text: found.startsWith('return') ? 'return' : '' }];
  });
}

/** Numbers become the next one, and words become empty. Sentences are messages, whose words no test should repeat. */
function constants(code: string, source: string): Mutation[] {
  const numbers = [...code.matchAll(/(?<![\w$.#'"`])\d[\d_]*(?![\w$.'"`])/g)].map(({ 0: digits, index }) => ({
    start: index,
    end: index + digits.length,
    text: String(Number(digits.replaceAll('_', '')) + 1),
  }));
  const strings = [...code.matchAll(/(?<!\b(?:from|import) )'( +)'/g)].flatMap(({ 1: blanks = '', index }) => {
    const start = index + 1;
    const end = start + blanks.length;
    return source.slice(start, end).includes(' ') ? [] : [{ start, end, text: '' }];
  });
  return [...numbers, ...strings];
}

/** The place of the bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if ('([{'.includes(code[at]!)) depth++;
    else if (')]}'.includes(code[at]!) && --depth === 0) return at;
  }
  return code.length;
}

/** Where the operand begins that ends at `end`: behind the bracket, operator or word that precedes it. */
function operandBefore(code: string, end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    if (')]}'.includes(code[at]!)) depth++;
    else if ('([{'.includes(code[at]!) && depth-- === 0) return at + 1;
    else if (depth === 0 && /(?:=>|[^=!<>]=|[,;:?&|]) $/.test(code.slice(at - 2, at + 1))) return at + 1;
    else if (depth === 0 && code.slice(at - 7, at) === 'return ') return at;
  }
  return 0;
}

/** The place of the semicolon; undefined if the block ends before. */
function endOfStatement(code: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if ('([{'.includes(code[at]!)) depth++;
    else if (')]}'.includes(code[at]!) && --depth < 0) return undefined;
    else if (code[at] === ';' && depth === 0) return at;
  }
  return undefined;
}

/** The code with spaces in place of comments, regular expressions, and the texts of strings and templates. */
function withoutTexts(code: string): string {
  const texts =
    /\/\*[^]*?\*\/|\/\/[^\n]*|(?<=[(=,:!&|?[] ?|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+\/[a-z]*|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;
  return code.replaceAll(texts, (text, quoted: string | undefined, template: string | undefined) => {
    if (quoted !== undefined) return `'${' '.repeat(quoted.length)}'`;
    // Code within templates counts, if it contains no template itself.
    if (template !== undefined)
      return `\`${template.replaceAll(/\$\{([^{}]*)\}|[^\n]/g, (part, inner?: string) => (inner === undefined ? ' ' : `  ${inner} `).padEnd(part.length))}\``;
    return text.replaceAll(/[^\n]/g, ' ');
  });
}

const words = process.argv.slice(2);
const files = Object.keys(areas).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));

const scores: string[] = [];
for (const file of files) {
  const [noticed, all] = await examine(file, areas[file]!);
  scores.push(`${file}: ${noticed} of ${all} changes noticed`);
}
for (const score of scores) console.log(score);
