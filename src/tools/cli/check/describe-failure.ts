import { readFileSync } from 'node:fs';

import { stackOf } from '../../../server/node/index.ts';
import type { ServerOptions } from '../../../server/index.ts';
import { checkServer, findProblems } from './check-server.ts';
import type { CheckedServer } from './check-server.ts';
import { CompileError } from '../project/loader.ts';
import { problemText } from '../project/print-problems.ts';
import { codeFrame } from '../project/problem.ts';
import type { Problem } from '../project/problem.ts';
import { searchIn } from '../project/source-search.ts';
import type { SourceSearch, UserFiles } from '../project/source-search.ts';
import type { RefusedOptions } from '../dev/messages.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** Explains why a function cannot be loaded: all problems of its server, or else the error and the line that threw it. */
export async function describeLoadFailure(error: unknown, refusals: readonly RefusedOptions[], userFiles: UserFiles): Promise<string> {
  if (error instanceof CompileError) return error.problems.map((problem) => problemText(problem, userFiles.directory)).join('\n');
  const refused = refusals.find(({ refusal }) => refusal === error);
  return refused === undefined ? describeFailure(error) : describeRefusal(refused, userFiles);
}

/** The error with the user's stack frames, and the code around the first of them. */
export function describeFailure(error: unknown): string {
  const place = toPlace(placeOf(error));
  const frame = place === undefined ? '' : frameIn(place.file, place);
  return `${stackOf(error)}${frame === '' ? '' : `\n\n${frame}`}`;
}

async function describeRefusal({ source, place, refusal }: RefusedOptions, userFiles: UserFiles): Promise<string> {
  const noSchema = (): Promise<never> => Promise.reject(refusal as Error);
  const check = (search: SourceSearch): Promise<CheckedServer> => checkServer({ source, place, refusal, schemas: noSchema }, search);
  return describeProblems(userFiles, async (search) => (await check(search)).problems);
}

/** Describes all problems of options. Empty when there are none. */
export async function describeOptions(options: ServerOptions, place: string | undefined, userFiles: UserFiles): Promise<string> {
  return describeProblems(userFiles, (search) => findProblems(options, toPlace(place), search));
}

type FindProblems = (search: SourceSearch) => readonly Problem[] | Promise<readonly Problem[]>;

async function describeProblems(userFiles: UserFiles, find: FindProblems): Promise<string> {
  const problems = await find(searchIn(userFiles));
  return problems.map((problem) => problemText(problem, userFiles.directory)).join('\n');
}

function frameIn(file: string, position: { readonly line: number; readonly column: number }): string {
  try {
    return codeFrame(readFileSync(file, 'utf8'), position);
  } catch {
    // A stack frame may not point to a file.
    return '';
  }
}
