import type { ContextArgument } from '../../src/server/doors/http-settings.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { recordingLogger } from './recording-logger.ts';
import type { LogLine } from './recording-logger.ts';

/** The context of the resolvers below. */
interface EchoContext extends Pick<ContextArgument, 'request' | 'response'> {
  readonly tally: Tally;
}

/** Records what ran on the server, for tests that check that nothing ran. */
export interface Tally {
  resolved: number;
  added: number;
}

/** A server that returns the request that it received. */
export interface EchoServer {
  readonly options: ServerOptions;
  readonly tally: Tally;
  readonly log: readonly LogLine[];
}

const typeDefs = `
  type Query {
    echo(text: String!): String!
    texts(list: [String!]!): [String!]!
    header(name: String!): String
    request: Request!
    setCookies(lines: [String!]!): Int!
    setHeader(name: String!, value: String!): Boolean!
    setStatus(status: Int!): Boolean!
    fail: String
    failHard: String!
  }
  type Request { method: String!, path: String!, queryString: String! }
  type Mutation { add(by: Int! = 1): Int! }
`;

const resolvers = {
  Query: {
    echo: (_: unknown, { text }: { text: string }, { tally }: EchoContext) => (tally.resolved++, text),
    texts: (_: unknown, { list }: { list: string[] }) => list,
    header: (_: unknown, { name }: { name: string }, { request }: EchoContext) => request.headers.get(name),
    request: (_: unknown, _arguments: unknown, { request }: EchoContext) => request,
    setCookies: (_: unknown, { lines }: { lines: string[] }, { response }: EchoContext) => {
      for (const line of lines) response.headers.append('set-cookie', line);
      return lines.length;
    },
    setHeader: (_: unknown, { name, value }: { name: string; value: string }, { response }: EchoContext) => (
      response.headers.set(name, value),
      true
    ),
    setStatus: (_: unknown, { status }: { status: number }, { response }: EchoContext) => ((response.status = status), true),
    fail: () => {
      throw new Error('The resolver failed on purpose.');
    },
    failHard: () => {
      throw new Error('The resolver failed on purpose.');
    },
  },
  Mutation: {
    add: (_: unknown, { by }: { by: number }, { tally }: EchoContext) => (tally.added += by),
  },
};

/** Options that differ from those of an echo server with `csrfPrevention: true`, as every example has it. */
export function echoServer(changes: Partial<ServerOptions> = {}): EchoServer {
  const tally: Tally = { resolved: 0, added: 0 };
  const [logger, log] = recordingLogger();
  const options = {
    csrfPrevention: true,
    nodeEnv: 'production',
    logger,
    context: ({ request, response }: ContextArgument) => ({ request, response, tally }),
    typeDefs,
    resolvers,
    ...changes,
  } as ServerOptions;
  return { options, tally, log };
}
