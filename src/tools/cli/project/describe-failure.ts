import { stackOf } from '../../../server/node/index.ts';
import { messageOf } from '../../../shared/index.ts';
import { frameOf, placeOf, problemText } from '../../checks/for-cli.ts';
import { CompileError } from './loader.ts';

/** An error of a function: the user's frames of its stack, and the code around the first of them; or the problems of a compilation. */
export function describeFailure(error: unknown, directory: string): string {
  if (error instanceof CompileError) return error.problems.map((problem) => problemText(problem, directory)).join('\n');
  // In development, createHandler throws an error that shows the code of every problem.
  if (/^ +\| +\^$/m.test(messageOf(error))) return messageOf(error);
  const frame = frameOf({ ...placeOf(error), message: '' }, directory);
  return `${stackOf(error)}${frame === '' ? '' : `\n\n${frame}`}`;
}
