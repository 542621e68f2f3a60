import { relative } from 'node:path';

import type { DevServer } from './dev/dev.ts';
import type { Answer } from './dev/run-query.ts';
import type { DevEvent, RequestRecord } from './dev/messages.ts';
import { bad, paintMessage, statusOf } from './project/paint.ts';
import type { Terminal } from './project/paint.ts';

/** Prints the dev server's events. */
export class Reporter {
  readonly #terminal: Terminal;
  readonly #directory: string;
  #isRunning = false;
  /** True once the query of the command line has been answered: its requests are not listed. */
  #isWaiting = false;

  constructor(terminal: Terminal, directory: string) {
    this.#terminal = terminal;
    this.#directory = directory;
  }

  report(event: DevEvent): void {
    if (event.kind === 'warning') this.#terminal.error(event.message);
    else if (event.kind === 'failed') this.#showProblem(`${event.name} failed:`, event.message);
    else if (event.kind === 'request') this.#listRequest(event);
    else {
      for (const { name, problem } of event.functions) if (problem !== undefined) this.#showProblem(`${name} cannot run:`, problem);
      // The banner lists the functions that exist at the start.
      if (this.#isRunning) this.#terminal.log('Reloaded.');
    }
  }

  banner({ url, prefix, functions, folder }: DevServer, query?: string): void {
    const names = functions.map(({ name }) => name);
    const width = Math.max(...names.map(({ length }) => length));
    const lines = names.map((name) => `  ${name.padEnd(width)}  ${url}${prefix}/${name}`);
    if (names.length === 0) lines.push(`  No functions yet. Add one: ${relative(this.#directory, folder)}/graphql.ts`);
    for (const { name, isGraphQL } of functions) if (isGraphQL) lines.push('', `  ${curlLine(`${url}${prefix}/${name}`, query)}`);
    this.#terminal.log(`\n${lines.join('\n')}\n`);
    this.#isRunning = true;
  }

  answer(query: string, answer: Answer | undefined): void {
    if (answer === undefined) this.#terminal.error('The query was not sent: no GraphQL function can run.');
    else this.#terminal.log(`${query}\n\n${answer.status === 200 ? '' : `Status ${answer.status}:\n\n`}${answer.text}\n`);
  }

  waiting(): void {
    this.#isWaiting = true;
    this.#terminal.log('Watching for changes. Press Ctrl+C to stop.');
  }

  #showProblem(title: string, message: string): void {
    this.#terminal.error(`\n${bad(title)}\n\n${paintMessage(message)}\n`);
  }

  #listRequest({ name, status, method, path, milliseconds }: RequestRecord): void {
    if (this.#isWaiting) this.#terminal.log([name, statusOf(status), `${method} ${path}`, `${milliseconds} ms`].join('  '));
  }
}

/** The body is in single quotes for the shell; GraphQL uses them only inside strings. */
function curlLine(address: string, query = '{ __typename }'): string {
  const body = JSON.stringify({ query }).replaceAll("'", String.raw`'\''`);
  return `curl ${address} -H 'content-type: application/json' -d '${body}'`;
}
