import { problemText, shorten } from '../../checks/for-cli.ts';
import type { Problem } from '../../checks/for-cli.ts';

/** Prints each problem with its place and the lines of code around it. */
export function printProblems(problems: readonly Problem[], directory: string, print: (line: string) => void): void {
  for (const problem of problems) print(problemText(problem, directory));
}

/** A problem for programs: { file, line, column, message }. */
export function problemAsJSON({ file, line, column, message }: Problem, directory: string): object {
  return { ...(file !== undefined && { file: shorten(file, directory), line, column }), message };
}
