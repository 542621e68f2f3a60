import { counted } from '../../../shared/index.ts';
import type { CheckFormat } from '../arguments.ts';
import type { Comparison, PlacedChange } from '../against/against.ts';
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
  /** Undefined: schemas were not compared. */
  readonly comparison: Comparison | undefined;
  /** The value of --against. */
  readonly against: string | undefined;
}

/** Prints problems and changes. A count goes to stderr. */
export function report(outcome: Report, format: CheckFormat, { directory, terminal }: Workplace): void {
  printers[format](outcome, directory, terminal);
  const { problems, comparison, against } = outcome;
  if (problems.length > 0) terminal.error(`\n${counted(problems.length, 'problem')}.`);
  if (comparison !== undefined) terminal.error(summaryOf(comparison, against ?? ''));
}

type Print = (outcome: Report, directory: string, terminal: Terminal) => void;

const printers: Record<CheckFormat, Print> = {
  human({ problems, comparison, functions }, directory, terminal) {
    printProblems(problems, directory, terminal);
    printProblems(comparison?.changes.map(inWords) ?? [], directory, terminal);
    if (problems.length === 0) terminal.log(`No problems in ${functions.map(({ name }) => name).join(', ')}.`);
  },
  json({ problems, comparison, against }, directory, terminal) {
    const list = problems.map((problem) => problemAsJSON(problem, directory));
    const changes = comparison?.changes.map((change) => changeAsJSON(change, directory)) ?? [];
    terminal.log(JSON.stringify(against === undefined ? list : { problems: list, changes }, undefined, 2));
  },
  github({ problems, comparison }, directory, terminal) {
    const folders = { directory, root: process.env['GITHUB_WORKSPACE'] ?? directory };
    for (const problem of problems) terminal.log(annotation('error', problem, folders));
    for (const change of comparison?.changes ?? []) terminal.log(annotation(annotationLevels[change.level], inWords(change), folders));
  },
};

const annotationLevels = { breaking: 'error', dangerous: 'warning', unused: 'notice' } as const;

const headings = { breaking: 'Breaking change', dangerous: 'Dangerous change', unused: 'Unused by known operations' } as const;

function changeAsJSON(change: PlacedChange, directory: string): object {
  const { type, level, operations } = change;
  return { ...problemAsJSON(change, directory), type, level, operations };
}

/** The change, and the first three of its operations. */
function inWords({ message, level, operations, ...place }: PlacedChange): Problem {
  const more = operations.length > 3 ? ` and ${operations.length - 3} more` : '';
  const users = operations.length === 0 ? '' : ` Used by ${operations.slice(0, 3).join(', ')}${more}.`;
  return { ...place, message: `${headings[level]}: ${message}${users}` };
}

function summaryOf({ changes, operations }: Comparison, against: string): string {
  const count = (wanted: PlacedChange['level']): number => changes.filter(({ level }) => level === wanted).length;
  const known = operations === 0 ? 'No operations are known, so every breaking change counts' : `Known operations: ${operations}`;
  const breaking = counted(count('breaking'), 'breaking change');
  return `Compared with ${against}: ${breaking}, ${count('dangerous')} dangerous, ${count('unused')} unused. ${known}.`;
}
