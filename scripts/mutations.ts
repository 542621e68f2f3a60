/**
 * Changes one expression of a security-relevant file at a time, and runs the tests of its area: a change that no test notices shows a
 * behavior without a test. Prints the score of each file, and the changes that survived. Fails if one of them has no reason in `accepted`.
 *
 *     npm run mutations                              every file of the table: about ten minutes of CPU
 *     npm run mutations -- csrf router-secret        the files whose path contains one of these words
 *
 * scripts/mutant.ts loads the changed versions, so the sources stay as they are.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Result, Work } from './mutant.ts';
import { accepted, areas } from './security-relevant.ts';

process.chdir(join(import.meta.dirname, '..'));

const directory = mkdtempSync(join(tmpdir(), 'graphql-functions-mutations-'));
process.on('exit', () => rmSync(directory, { recursive: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const versions = join(directory, 'versions.json');

/** A change of one line; of a statement of several lines, the first one is shown. */
interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Survivor {
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface Score {
  readonly noticed: number;
  readonly explained: number;
  readonly unexplained: number;
}

async function examine(file: string, tests: readonly string[]): Promise<Score> {
  const source = readFileSync(file, 'utf8');
  const mutations = mutationsOf(source);
  writeFileSync(versions, JSON.stringify(mutations.map((mutation) => applied(source, mutation))));
  const survivors = mutations.map((mutation) => shown(source, applied(source, mutation), mutation));
  const reasons = accepted[file] ?? {};
  const reasonOf = (version: number): string | undefined => {
    const { before, after } = survivors[version]!;
    return reasons[`${before} → ${after}`];
  };
  const survived = await survivorsOf({ file, tests, versions, isAlone: false }, mutations.length, reasonOf);
  for (const version of survived) {
    const { line, before, after } = survivors[version]!;
    console.log(`${file}:${line}: ${before} → ${after}\n    ${reasonOf(version) ?? 'no reason'}`);
  }
  const explained = survived.filter((version) => reasonOf(version) !== undefined).length;
  return { noticed: mutations.length - survived.length, explained, unexplained: survived.length - explained };
}

/** The versions that no test notices. Those without a reason were also run in processes of their own, with nothing left of others. */
async function survivorsOf(work: Omit<Work, 'first'>, count: number, reasonOf: (version: number) => string | undefined): Promise<number[]> {
  const startedAt = performance.now();
  const limits = { timeout: 900_000 };
  const survived: number[] = [];
  let given = work;
  const onResult = ({ version, state, unrepeatable }: Result): void => {
    if (version < 0) {
      given = { ...work, unrepeatable };
      limits.timeout = 5_000 + (performance.now() - startedAt);
      for (const test of unrepeatable) console.log(`${test}: left out, because it does not pass twice in one process`);
      if (state !== 'survived') throw new Error(`The tests of ${work.file} fail without a change.`);
    } else if (state !== 'noticed') survived.push(version);
  };
  await run({ ...work, first: -1 }, limits, onResult);
  if (given === work) throw new Error(`The tests of ${work.file} end the process without a change.`);
  for (let first = 0; first < count;) first = await run({ ...given, first }, limits, onResult);

  const left: number[] = [];
  const onResultAlone = ({ version, state }: Result): void => {
    if (state === 'survived') left.push(version);
  };
  for (const first of survived) {
    if (reasonOf(first) === undefined) await run({ ...given, first, isAlone: true }, limits, onResultAlone);
    else left.push(first);
  }
  return left;
}

/** Returns the version to continue with. One that ends the process, or does not end in time, is noticed. */
function run(work: Work, limits: { readonly timeout: number }, onResult: (result: Result) => void): Promise<number> {
  const child = fork(join(import.meta.dirname, 'mutant.ts'), [JSON.stringify(work)], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compile-cache'), NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const startTimer = (): NodeJS.Timeout => setTimeout(kill, limits.timeout);
  let timer = startTimer();
  let next = work.first + 1;
  return new Promise((resolve, reject) => {
    child.on('message', (result: Result) => {
      clearTimeout(timer);
      timer = startTimer();
      next = result.version + (result.state === 'doubtful' ? 1 : 2);
      try {
        onResult(result);
      } catch (error) {
        kill();
        reject(error as Error);
      }
    });
    child.once('exit', () => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve(next);
    });
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

function shown(source: string, mutated: string, { start }: Mutation): Survivor {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const lineOf = (text: string): string => text.slice(from).split('\n', 1)[0]!.trim();
  return { line: source.slice(0, start).split('\n').length, before: lineOf(source), after: lineOf(mutated) };
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

const scores: (readonly [file: string, score: Score])[] = [];
for (const file of files) scores.push([file, await examine(file, areas[file]!)]);
for (const [file, { noticed, explained, unexplained }] of scores) {
  const all = noticed + explained + unexplained;
  console.log(`${file}: ${noticed} of ${all} changes noticed, ${explained} others with a reason, ${unexplained} without`);
  if (unexplained > 0) process.exitCode = 1;
}
