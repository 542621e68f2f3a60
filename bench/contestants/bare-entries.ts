import { create, createFetch, createRunner } from './bare.ts';
import type { EntriesOf } from '../event.ts';

/** Handlers for every entry that generated workloads use. */
export const entriesOf: EntriesOf = (input) => ({
  event: () => create(input),
  fetch: () => createFetch(input),
  listener: () => {
    const run = createRunner(input);
    return async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = JSON.stringify(await run(JSON.parse(Buffer.concat(parts).toString()) as never));
      response.setHeader('content-type', 'application/json').end(body);
    };
  },
});
