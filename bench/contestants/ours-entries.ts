import { createHandler } from '../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../src/entries/fetch.ts';
import { createListener } from '../../src/entries/node.ts';
import type { EntriesOf } from '../event.ts';

/** Handlers for every entry that generated workloads use. */
export const entriesOf: EntriesOf = ({ typeDefs, resolvers }) => {
  const options = { csrfPrevention: true, typeDefs, resolvers } as const;
  return {
    event: () => createHandler(options) as never,
    fetch: () => createFetchHandler(options).fetch,
    listener: () => createListener(options),
  };
};
