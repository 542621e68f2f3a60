/**
 * Changes one expression of a security-relevant file at a time, and runs the tests of its area: a change that no test notices shows a
 * behavior without a test. Prints the score of each file, and the changes that survived. Fails if one of them has no reason in `accepted`.
 *
 *     npm run mutations                              every file of the table: about an hour on two cores
 *     npm run mutations -- csrf router-secret        the files whose path contains one of these words
 *
 * Works in copies of the checkout, so the sources stay as they are.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { accepted, areas } from './security-relevant.ts';

const root = join(import.meta.dirname, '..');

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

/** Returns the number of survivors without a reason. */
async function examine(copies: readonly string[], file: string, tests: readonly string[]): Promise<number> {
  const source = readFileSync(join(root, file), 'utf8');
  const startedAt = performance.now();
  if (await fails(copies[0]!, tests, 300_000)) throw new Error(`The tests of ${file} fail without a change.`);
  const timeout = 10_000 + (performance.now() - startedAt) * 5;

  const left = mutationsOf(source);
  const reasons = accepted[file] ?? {};
  let [noticed, explained, unexplained] = [0, 0, 0];
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutation = left.pop(); mutation !== undefined; mutation = left.pop()) {
        const mutated = applied(source, mutation);
        writeFileSync(join(copy, file), mutated);
        if (await fails(copy, tests, timeout)) {
          noticed++;
          continue;
        }
        const { line, before, after } = shown(source, mutated, mutation);
        const reason = reasons[`${before} → ${after}`];
        if (reason === undefined) unexplained++;
        else explained++;
        console.log(`${file}:${line}: ${before} → ${after}\n    ${reason ?? 'no reason'}`);
      }
      writeFileSync(join(copy, file), source);
    }),
  );
  const all = noticed + explained + unexplained;
  console.log(`${file}: ${noticed} of ${all} changes noticed, ${explained} others with a reason, ${unexplained} without`);
  return unexplained;
}

function createCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'graphql-functions-mutations-'));
  for (const name of ['src', 'test', 'scripts', 'functions', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  }
  for (const name of ['node_modules', 'dist', 'docs', 'bench']) symlinkSync(join(root, name), join(copy, name));
  return copy;
}

/** Ends the process at the first failure, because one is enough. */
const reporter = `data:text/javascript,export default async function* (events) {
  for await (const { type } of events) if (type === 'test:fail') process.exit(1);
}`.replaceAll('\n', '');

/** True if a test fails, or does not end in time. */
function fails(copy: string, tests: readonly string[], timeout: number): Promise<boolean> {
  const isolation = '--experimental-test-isolation=none';
  const child = spawn(process.execPath, ['--test', isolation, '--test-force-exit', `--test-reporter=${reporter}`, ...tests], {
    cwd: copy,
    env: { ...process.env, NODE_COMPILE_CACHE: join(copy, 'compile-cache'), NODE_NO_WARNINGS: '1' },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code !== 0);
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

/** Conditions of `if` and `?`, and what `!` negates. */
function negations(code: string, source: string): Mutation[] {
  const ifs = [...code.matchAll(/\bif \(/g)].map(
    ({ 0: { length }, index }) => [index + length, closing(code, index + length - 1)] as const,
  );
  const choices = [...code.matchAll(/ \? /g)].map(({ index }) => [operandBefore(code, index), index] as const);
  const negated = [...code.matchAll(/!(?=[\w(])/g)].map(({ index }) => ({ start: index, end: index + 1, text: '' }));
  return [...negated, ...[...ifs, ...choices].map(([start, end]) => ({ start, end, text: `!(${source.slice(start, end)})` }))];
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
const copies = Array.from({ length: availableParallelism() }, createCopy);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('exit', () => copies.forEach((copy) => rmSync(copy, { recursive: true, force: true })));

let unexplained = 0;
for (const file of files) unexplained += await examine(copies, file, areas[file]!);
if (unexplained > 0) process.exitCode = 1;
