import { createInterface } from 'node:readline/promises';

import type { InitArguments } from '../arguments.ts';
import { UsageError } from '../read-options.ts';
import { initPlatforms } from './compose-project.ts';
import type { ProjectChoices } from './compose-project.ts';

/** The standard streams of a process. */
export interface StandardStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Returns the choices that options make, and in a terminal prompts for all others. Throws a UsageError that lists the options if there is
 * no terminal.
 */
export async function askForChoices(
  { platform, api }: Pick<InitArguments, 'platform' | 'api'>,
  { stdin: input, stdout: output }: StandardStreams = process,
): Promise<ProjectChoices> {
  if (platform !== undefined && api !== undefined) return { platform, api };
  if (!input.isTTY || !output.isTTY) {
    if (platform === undefined) throw new UsageError(withoutTerminal);
    return { platform, api: 'trusted' };
  }
  const lines = createInterface({ input, output });
  // Ctrl+C and Ctrl+D close the interface, and would leave its question unanswered.
  const canceled = new AbortController();
  lines.once('close', () => canceled.abort());
  const ask: Ask = async (question) => (await lines.question(question, { signal: canceled.signal })).trim().toLowerCase();
  try {
    return {
      platform: platform ?? (await choose(ask, 'Platform', initPlatforms)),
      api: api ?? (await choose(ask, 'Who sends operations', senders)),
    };
  } catch (cause) {
    if (canceled.signal.aborted) throw new UsageError('\nCanceled. Nothing was written.', { cause });
    throw cause;
  } finally {
    lines.close();
  }
}

type Ask = (question: string) => Promise<string>;

const senders = {
  trusted: 'your own clients: in production, only the operations in operations/ run',
  open: 'anyone: every operation runs, within limits',
} as const;

const withoutTerminal = `init requires --platform, because it cannot prompt without a terminal:

  graphql-functions init [folder] --platform <${Object.keys(initPlatforms).join(' | ')}> [--open-api | --subgraph]`;

async function choose<T extends string>(ask: Ask, title: string, choices: Readonly<Record<T, string>>): Promise<T> {
  const names = Object.keys(choices) as T[];
  const list = names.map((name, at) => `  ${at + 1}. ${name.padEnd(8)}  ${choices[name]}`);
  const find = (answer: string): T | undefined => names[Number(answer) - 1] ?? names.find((name) => name === answer);
  let chosen = find(await ask(`${[`${title}:`, ...list].join('\n')}\nName or number: `));
  while (chosen === undefined) chosen = find(await ask(`Expected a name or a number from 1 to ${names.length}: `));
  return chosen;
}
