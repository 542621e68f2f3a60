import { createInterface } from 'node:readline/promises';

import type { InitArguments } from '../arguments.ts';
import { UsageError } from '../read-options.ts';
import { initPlatforms } from './compose-project.ts';
import type { InitPlatform, ProjectChoices } from './compose-project.ts';

/** The standard streams of a process. */
export interface StandardStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** The choices of the options; in a terminal, prompts for the others. Throws a UsageError that lists the options if it cannot prompt. */
export async function askForChoices(
  { platform, codegen, tests, api }: InitArguments,
  { stdin: input, stdout: output }: StandardStreams = process,
): Promise<ProjectChoices> {
  if (platform !== undefined && codegen !== undefined && tests !== undefined) return { platform, codegen, tests, api };
  if (!input.isTTY || !output.isTTY) {
    if (platform === undefined) throw new UsageError(withoutTerminal);
    return { platform, codegen: codegen ?? false, tests: tests ?? false, api };
  }
  const lines = createInterface({ input, output });
  // Ctrl+C and Ctrl+D close the interface, and would leave its question unanswered.
  const cancelled = new AbortController();
  lines.once('close', () => cancelled.abort());
  const ask: Ask = async (question) => (await lines.question(question, { signal: cancelled.signal })).trim().toLowerCase();
  try {
    return {
      platform: platform ?? (await askForPlatform(ask)),
      codegen: codegen ?? (await askYesOrNo(ask, 'Generate resolver types with GraphQL Code Generator?')),
      tests: tests ?? (await askYesOrNo(ask, 'Add tests?')),
      api,
    };
  } catch (cause) {
    if (cancelled.signal.aborted) throw new UsageError('\nCanceled. Nothing was written.', { cause });
    throw cause;
  } finally {
    lines.close();
  }
}

type Ask = (question: string) => Promise<string>;

const platforms = Object.keys(initPlatforms) as InitPlatform[];

const withoutTerminal = `init requires --platform, because it cannot prompt without a terminal:

  graphql-functions init [folder] --platform <${platforms.join(' | ')}> [--codegen] [--tests] [--open-api | --subgraph]`;

const platformList = platforms.map((name, at) => `  ${at + 1}. ${name.padEnd(8)}  ${initPlatforms[name]}`).join('\n');

async function askForPlatform(ask: Ask): Promise<InitPlatform> {
  let platform = toPlatform(await ask(`Platforms:\n${platformList}\nPlatform, by name or number: `));
  while (platform === undefined) platform = toPlatform(await ask(`Expected a name or a number from 1 to ${platforms.length}: `));
  return platform;
}

function toPlatform(answer: string): InitPlatform | undefined {
  return platforms[Number(answer) - 1] ?? platforms.find((name) => name === answer);
}

/** Enter means no. */
async function askYesOrNo(ask: Ask, question: string): Promise<boolean> {
  let answer = await ask(`${question} [y/N] `);
  while (!/^(?:y|yes|n|no|)$/.test(answer)) answer = await ask('Expected y or n: ');
  return answer.startsWith('y');
}
