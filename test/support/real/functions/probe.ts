import type { ContextArgument } from 'graphql-functions';
import { incrementalDelivery } from 'graphql-functions/incremental';
import { mcp } from 'graphql-functions/mcp';

let calls = 0;
let worked = 0;

/** Options of a server that returns what its platform passed to it. Its only data are the arguments of its fields. */
export const probe = {
  csrfPrevention: true,
  incrementalDelivery: incrementalDelivery(),
  trustedDocuments: { documents: { greet: 'query Greet($name: String!) { hello(name: $name) }' } },
  plugins: [mcp({ name: 'probe', version: '1.0.0', tools: { greet: { document: 'greet', description: 'Says hello' } } })],
  typeDefs: `#graphql
    type Query {
      hello(name: String = "world"): String!
      header(name: String!): String
      "The same, after others have had their turn."
      headerLater(name: String!): String
      "How often this process was asked, this time included."
      calls: Int!
      "How often work passed to waitUntil has ended."
      worked: Int!
      "Hands work to waitUntil. It calls the URL, if there is one, when it has ended."
      work(milliseconds: Int!, report: String): Boolean!
      cookies(values: [String!]!): Boolean!
      platform: Platform!
      text(length: Int!): String!
      fails: String
      failsHard: String!
      "When the URL has answered."
      later(gate: String!): String!
    }
    type Mutation { echo(text: String!): String! }
    type Subscription {
      count(to: Int!): Int!
      text(length: Int!): String!
      "Two events: the second when the URL has answered."
      gated(gate: String!): String!
      "Never ends by itself. When the client leaves, it calls the URL."
      endless(report: String!): Int!
    }
    type Platform { functionName: String requestId: String remainingTime: Int traceId: String hasContext: Boolean! hasProcess: Boolean! }
  `,
  context: (call: ContextArgument) => call,
  resolvers: {
    Query: {
      hello: (_: unknown, { name }: { name: string }) => `Hello, ${name}!`,
      header: (_: unknown, { name }: { name: string }, { request }: ContextArgument) => request.headers.get(name),
      headerLater: async (_: unknown, { name }: { name: string }, { request }: ContextArgument) => {
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
        return request.headers.get(name);
      },
      calls: () => (calls += 1),
      worked: () => worked,
      work: (_: unknown, task: { milliseconds: number; report?: string }, { waitUntil }: ContextArgument) => {
        waitUntil(work(task));
        return true;
      },
      cookies: (_: unknown, { values }: { values: string[] }, { response }: ContextArgument) => {
        for (const value of values) response.headers.append('set-cookie', value);
        return true;
      },
      platform: (_: unknown, _arguments: object, { context }: ContextArgument) => describePlatform(context as PlatformContext | null),
      text: (_: unknown, { length }: { length: number }) => 'x'.repeat(length),
      fails: fail,
      failsHard: fail,
      later: async (_: unknown, { gate }: { gate: string }) => {
        await (await fetch(gate)).text();
        return 'at last';
      },
    },
    Mutation: { echo: (_: unknown, { text }: { text: string }) => text },
    Subscription: {
      count: {
        async *subscribe(_: unknown, { to }: { to: number }) {
          for (let count = 1; count <= to; count++) yield { count };
        },
      },
      text: {
        async *subscribe(_: unknown, { length }: { length: number }) {
          yield { text: 'x'.repeat(length) };
        },
      },
      gated: {
        async *subscribe(_: unknown, { gate }: { gate: string }) {
          yield { gated: 'before' };
          await (await fetch(gate)).text();
          yield { gated: 'behind' };
        },
      },
      endless: {
        async *subscribe(_: unknown, { report }: { report: string }, { waitUntil }: ContextArgument) {
          try {
            for (let endless = 1; ; endless++) yield { endless };
          } finally {
            waitUntil(fetch(report, { method: 'POST' }));
          }
        },
      },
    },
  },
};

function fail(): never {
  throw new Error('secret of the probe');
}

async function work({ milliseconds, report }: { milliseconds: number; report?: string }): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
  worked += 1;
  if (report !== undefined) await fetch(report, { method: 'POST' });
}

interface PlatformContext {
  readonly functionName?: string;
  readonly awsRequestId?: string;
  readonly xRayTraceId?: string;
  getRemainingTimeInMillis?(): number;
}

function describePlatform(context: PlatformContext | null | undefined): object {
  return {
    functionName: context?.functionName,
    requestId: context?.awsRequestId,
    remainingTime: context?.getRemainingTimeInMillis?.(),
    traceId: context?.xRayTraceId,
    hasContext: context !== undefined && context !== null,
    hasProcess: globalThis.process !== undefined,
  };
}
