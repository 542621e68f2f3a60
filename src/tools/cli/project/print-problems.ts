import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

import { codeFrame } from './problem.ts';
import { paintMessage } from './paint.ts';
import type { Problem } from './problem.ts';
import type { Terminal } from './paint.ts';

/** Prints each problem with its place and the lines of code around it. */
export function printProblems(problems: readonly Problem[], directory: string, terminal: Terminal): void {
  for (const problem of problems) terminal.log(paintMessage(problemText(problem, directory)));
}

/** "file:line:column message", followed by the code around that place. */
export function problemText(problem: Problem, directory: string): string {
  const { file, message } = problem;
  const place = file === undefined ? '' : `${placeText(problem, directory)} `;
  const frame = frameOf(problem, directory);
  return indented(`${place}${message}${frame === '' ? '' : `\n\n${frame}\n`}`);
}

/** A problem for programs: { file, line, column, message }. */
export function problemAsJSON({ file, line, column, message }: Problem, directory: string): object {
  return { ...(file !== undefined && { file: shorten(file, directory), line, column }), message };
}

function placeText({ file = '', line, column }: Problem, directory: string): string {
  return [shorten(file, directory), line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

function frameOf({ file, line, column }: Problem, directory: string): string {
  if (file === undefined || line === undefined || column === undefined) return '';
  try {
    return codeFrame(readFileSync(resolve(directory, file), 'utf8'), { line, column });
  } catch {
    // A file in a stack may not exist on this machine.
    return '';
  }
}

function shorten(file: string, directory: string): string {
  return file.startsWith(`${directory}${sep}`) ? relative(directory, file) : file;
}

function indented(message: string): string {
  return message.replaceAll(/\n(?=[^\n])/g, '\n  ');
}
