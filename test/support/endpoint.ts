import { createHandler } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import type { PlainRequest, PlainResponse } from './plain-http.ts';
import { recordingLogger } from './recording-logger.ts';
import type { LogLine } from './recording-logger.ts';
import { httpAPI } from './sources.ts';

/** A server behind one event source, for tests of behavior common to all of them. */
export interface Endpoint {
  send(request: PlainRequest): Promise<PlainResponse>;
  /** The names of the root fields that were resolved, in order: empty when a request ran nothing. */
  readonly runs: string[];
  /** The lines that were logged. */
  readonly lines: LogLine[];
}

const typeDefs = `
  type Query { hello(name: String): String! sum(numbers: [Int!]!): Int! books(first: Int, filter: Filter): [Book!]! explode: String refuse: String }
  type Mutation { write(text: String): Boolean! }
  type Subscription { ticks: Int! }
  type Book { title: String! author: Author! }
  type Author { name: String! books(first: Int): [Book!]! }
  input Filter { author: String and: Filter }
`;

/** Makes the schema of each endpoint unique: two handlers for the same schema cause a warning. */
let endpoints = 0;

/** Serves a small schema whose root fields record their calls. NODE_ENV counts as unset, nothing is printed. */
export function createEndpoint(options: Partial<ServerOptions> = {}): Endpoint {
  const [logger, lines] = recordingLogger();
  const runs: string[] = [];
  const schema = options.schema === undefined ? { typeDefs: `${typeDefs}# ${++endpoints}`, resolvers: resolversNotingIn(runs) } : {};
  const handler = createHandler({ nodeEnv: '', logger, ...schema, ...options } as ServerOptions);
  return { runs, lines, send: async (request) => httpAPI.read(await handler(httpAPI.build(request), {})) };
}

// Any: resolvers' arguments come from the schema above.
function resolversNotingIn(runs: string[]): object {
  const noting = <T>(name: string, resolve: (args: any) => T) => {
    return (_parent: unknown, args: any): T => {
      runs.push(name);
      return resolve(args);
    };
  };
  const book = { title: 'Middlemarch', author: { name: 'George Eliot', books: () => [book] } };
  return {
    Query: {
      hello: noting('hello', ({ name }) => `Hello, ${name ?? 'world'}!`),
      sum: noting('sum', ({ numbers }) => numbers.reduce((sum: number, number: number) => sum + number, 0)),
      books: noting('books', () => [book]),
      explode: noting('explode', () => {
        throw new Error('The password of the database is hunter2');
      }),
    },
    Mutation: { write: noting('write', () => true) },
  };
}
