import { readFileSync } from 'node:fs';

import { textOf } from '../../development/own-frames.ts';
import type { ServerOptions } from '../../server/options.ts';
import { codeFrame } from '../project/problem.ts';
import type { UserFiles } from '../project/source-search.ts';
import type { Refusal } from '../dev/thread-messages.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** Why a function cannot be loaded, for people: all that is wrong with its server, else the error and the line that it comes from. */
export async function describeLoadFailure(error: unknown, refusals: readonly Refusal[], userFiles: UserFiles): Promise<string> {
  const refused = refusals.find(({ refusal }) => refusal === error);
  return refused === undefined ? describeFailure(error) : describeRefusal(refused, userFiles);
}

/** The error with the user's part of its stack, and the lines around the first of these. */
export function describeFailure(error: unknown): string {
  const place = toPlace(placeOf(error));
  const frame = place === undefined ? '' : frameIn(place.file, place);
  return `${textOf(error)}${frame === '' ? '' : `\n\n${frame}`}`;
}

async function describeRefusal({ source, place, refusal }: Refusal, userFiles: UserFiles): Promise<string> {
  // Loaded only now: a function without mistakes need not wait for it.
  const [{ checkServer }, { problemText }, { searchIn }] = await Promise.all([
    import('./check-server.ts'),
    import('../project/print-problems.ts'),
    import('../project/source-search.ts'),
  ]);
  const noSchema = (): Promise<never> => Promise.reject(refusal as Error);
  const { problems } = await checkServer({ source, place, refusal, schema: noSchema }, searchIn(userFiles));
  return problems.map((problem) => problemText(problem, userFiles.directory)).join('\n');
}

/** All that is wrong with options; empty when nothing is. */
export async function describeOptions(options: ServerOptions, place: string | undefined, userFiles: UserFiles): Promise<string> {
  const [{ findProblems }, { problemText }, { searchIn }] = await Promise.all([
    import('./check-server.ts'),
    import('../project/print-problems.ts'),
    import('../project/source-search.ts'),
  ]);
  const problems = findProblems(options, toPlace(place), searchIn(userFiles));
  return problems.map((problem) => problemText(problem, userFiles.directory)).join('\n');
}

function frameIn(file: string, position: { readonly line: number; readonly column: number }): string {
  try {
    return codeFrame(readFileSync(file, 'utf8'), position);
  } catch {
    // A stack may name something that is not a file.
    return '';
  }
}
