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
    if (event.kind === 'compiling') this.#terminal.error(`Compiling ${relative(this.#directory, event.folder)} …`);
    else if (event.kind === 'warning') this.#terminal.error(event.message);
    else if (event.kind === 'broken') this.#terminal.error(`\n${bad(`${event.name} cannot run:`)}\n\n${paintMessage(event.message)}\n`);
    else if (event.kind === 'failed') this.#terminal.error(`\n${bad(`${event.name} failed:`)}\n\n${paintMessage(event.message)}\n`);
    else if (event.kind === 'helper') this.#terminal.error(`${event.message}\n`);
    else if (event.kind === 'request') this.#listRequest(event);
    // The banner lists the functions that exist at the start.
    else if (this.#isRunning) this.#terminal.log(`${event.name} ${event.kind === 'ready' ? 'added' : event.kind}`);
  }

  banner({ url, prefix, functions, folder }: DevServer, query?: string): void {
    const names = [...functions.values()].filter(({ notice }) => notice === undefined).map(({ name }) => name);
    const width = Math.max(...names.map(({ length }) => length));
    const lines = names.map((name) => `  ${name.padEnd(width)}  ${url}${prefix}/${name}`);
    if (names.length === 0) lines.push(`  No functions yet. Add one: ${relative(this.#directory, folder)}/graphql.ts`);
    for (const { name, isGraphQL, notice } of functions.values())
      if (isGraphQL && notice === undefined) lines.push('', `  ${curlLine(`${url}${prefix}/${name}`, query)}`);
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

  #listRequest({ name, status, method, path, milliseconds }: RequestRecord): void {
    const line = [name, statusOf(status), `${method} ${path}`.trim(), `${milliseconds} ms`].join('  ');
    if (this.#isWaiting) this.#terminal.log(line);
  }
}

/** The body is in single quotes for the shell; GraphQL uses them only inside strings. */
function curlLine(address: string, query = '{ __typename }'): string {
  const body = JSON.stringify({ query }).replaceAll("'", String.raw`'\''`);
  return `curl ${address} -H 'content-type: application/json' -d '${body}'`;
}
