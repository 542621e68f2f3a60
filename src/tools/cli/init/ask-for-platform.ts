import { createInterface } from 'node:readline/promises';

import { UsageError } from '../read-options.ts';
import { initPlatforms } from './compose-project.ts';
import type { InitPlatform } from './compose-project.ts';

/** The standard streams of a process. */
export interface StandardStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Prompts for the platform. Throws a UsageError that lists the options if there is no terminal. */
export async function askForPlatform({ stdin: input, stdout: output }: StandardStreams = process): Promise<InitPlatform> {
  if (!input.isTTY || !output.isTTY) throw new UsageError(withoutTerminal);
  const lines = createInterface({ input, output });
  // Ctrl+C and Ctrl+D close the interface, and would leave its question unanswered.
  const canceled = new AbortController();
  lines.once('close', () => canceled.abort());
  const ask = async (question: string): Promise<InitPlatform | undefined> =>
    toPlatform((await lines.question(question, { signal: canceled.signal })).trim().toLowerCase());
  try {
    let platform = await ask(`Platforms:\n${platformList}\nPlatform, by name or number: `);
    while (platform === undefined) platform = await ask(`Expected a name or a number from 1 to ${platforms.length}: `);
    return platform;
  } catch (cause) {
    if (canceled.signal.aborted) throw new UsageError('\nCanceled. Nothing was written.', { cause });
    throw cause;
  } finally {
    lines.close();
  }
}

const platforms = Object.keys(initPlatforms) as InitPlatform[];

const withoutTerminal = `init requires --platform, because it cannot prompt without a terminal:

  graphql-functions init [folder] --platform <${platforms.join(' | ')}> [--open-api | --subgraph]`;

const platformList = platforms.map((name, at) => `  ${at + 1}. ${name.padEnd(8)}  ${initPlatforms[name]}`).join('\n');

function toPlatform(answer: string): InitPlatform | undefined {
  return platforms[Number(answer) - 1] ?? platforms.find((name) => name === answer);
}
