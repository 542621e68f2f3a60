import { problemText, shorten } from '../../checks/for-cli.ts';
import type { Problem } from '../../checks/for-cli.ts';
import type { Terminal } from './terminal.ts';

/** Prints each problem with its place and the lines of code around it. */
export function printProblems(problems: readonly Problem[], directory: string, terminal: Terminal): void {
  for (const problem of problems) terminal.log(problemText(problem, directory));
}

/** A problem for programs: { file, line, column, message }. */
export function problemAsJSON({ file, line, column, message }: Problem, directory: string): object {
  return { ...(file !== undefined && { file: shorten(file, directory), line, column }), message };
}
