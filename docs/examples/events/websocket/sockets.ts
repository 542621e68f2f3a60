import { createServer } from 'node:http';

import { buildSchema, GraphQLError, parse } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

import handler from './functions/chat.ts';

const server = createServer((_, response) => response.writeHead(426).end());
useServer(
  {
    // This process only needs the kind of the operation. The handler parses, validates and runs it.
    onSubscribe: ({ connectionParams }, _id, payload) => ({
      schema: buildSchema('type Query { unused: Int }'),
      document: parse(payload.query),
      operationName: payload.operationName ?? null,
      rootValue: ask(JSON.stringify(payload), String(connectionParams?.['authorization'] ?? '')),
    }),
    execute: async ({ rootValue }) => {
      for await (const result of rootValue as Results) return result;
      throw new Error('The handler ended its answer without a result.');
    },
    subscribe: ({ rootValue }: ExecutionArgs) => rootValue as Results,
  },
  new WebSocketServer({ server, path: '/graphql' }),
);
server.listen(Number(process.env['PORT'] ?? 4001));

type Results = AsyncGenerator<ExecutionResult>;

/** Sends an operation to the handler as a separate request, with `context`, CSRF prevention and limits. */
async function* ask(operation: string, authorization: string): Results {
  const client = createClient({
    url: 'http://localhost/graphql',
    headers: { authorization },
    retryAttempts: 0,
    fetchFn: (url: string, init: RequestInit) => handler.fetch(new Request(url, init)),
  });
  for await (const result of client.iterate(JSON.parse(operation))) {
    const errors = result.errors?.map((error) => Object.assign(new GraphQLError(error.message), { toJSON: () => error }));
    yield { ...result, ...(errors !== undefined && { errors }) } as ExecutionResult;
  }
}
