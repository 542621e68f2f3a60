import { relative } from 'node:path';

import type { DevServer } from './dev/dev.ts';
import type { Answer } from './dev/run-query.ts';
import type { DevEvent } from './dev/messages.ts';
import type { Terminal } from './project/terminal.ts';

/** Prints the dev server's events. */
export class Reporter {
  readonly #terminal: Terminal;
  readonly #directory: string;
  /** True once the query of the command line has been answered, which is not listed. */
  #isWaiting = false;

  constructor(terminal: Terminal, directory: string) {
    this.#terminal = terminal;
    this.#directory = directory;
  }

  report(event: DevEvent): void {
    if (event.kind === 'warning') this.#terminal.error(event.message);
    else if (event.kind === 'failed') this.#terminal.error(`\n${event.name} failed:\n\n${event.message}\n`);
    else if (event.kind === 'loaded') {
      for (const { name, problem } of event.functions)
        if (problem !== undefined) this.#terminal.error(`\n${name} cannot run:\n\n${problem}\n`);
      // The banner lists the functions that exist at the start.
      if (this.#isWaiting) this.#terminal.log('Reloaded.');
    } else if (this.#isWaiting) this.#terminal.log(event.line);
  }

  banner({ url, prefix, functions, folder }: DevServer): void {
    const names = functions.map(({ name }) => name);
    const width = Math.max(...names.map(({ length }) => length));
    const lines = names.map((name) => `  ${name.padEnd(width)}  ${url}${prefix}/${name}`);
    if (names.length === 0) lines.push(`  No functions yet. Add one: ${relative(this.#directory, folder)}/graphql.ts`);
    this.#terminal.log(`\n${lines.join('\n')}\n`);
  }

  answer(query: string, answer: Answer | undefined): void {
    if (answer === undefined) this.#terminal.error('The query was not sent: no GraphQL function can run.');
    else this.#terminal.log(`${query}\n\n${answer.status === 200 ? '' : `Status ${answer.status}:\n\n`}${answer.text}\n`);
  }

  waiting(): void {
    this.#isWaiting = true;
    this.#terminal.log('Watching for changes. Press Ctrl+C to stop.');
  }
}
