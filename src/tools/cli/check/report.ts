import { counted } from '../../../shared/index.ts';
import type { CheckFormat } from '../arguments.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import type { Terminal } from '../project/paint.ts';
import { annotation, printProblems, problemAsJSON } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';

/** Where a command runs and prints. */
export interface Workplace {
  readonly directory: string;
  readonly terminal: Terminal;
}

/** The outcome of `check`. */
interface Report {
  readonly problems: readonly Problem[];
  readonly functions: readonly FunctionSource[];
}

/** Prints problems. Their number goes to stderr. */
export function report(outcome: Report, format: CheckFormat, { directory, terminal }: Workplace): void {
  printers[format](outcome, directory, terminal);
  const { length } = outcome.problems;
  if (length > 0) terminal.error(`\n${counted(length, 'problem')}.`);
}

type Print = (outcome: Report, directory: string, terminal: Terminal) => void;

const printers: Record<CheckFormat, Print> = {
  human({ problems, functions }, directory, terminal) {
    printProblems(problems, directory, terminal);
    if (problems.length === 0) terminal.log(`No problems in ${functions.map(({ name }) => name).join(', ')}.`);
  },
  json({ problems }, directory, terminal) {
    const list = problems.map((problem) => problemAsJSON(problem, directory));
    terminal.log(JSON.stringify(list, undefined, 2));
  },
  github({ problems }, directory, terminal) {
    const folders = { directory, root: process.env['GITHUB_WORKSPACE'] ?? directory };
    for (const problem of problems) terminal.log(annotation(problem, folders));
  },
};
