import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { batch } from '../../../src/entries/index.ts';
import { inlineTraces, subgraph } from '../../../src/entries/subgraph.ts';
import { createRandom } from '../../support/random.ts';
import { randomOperation, randomSubgraph } from '../../support/random-subgraph.ts';
import { needs } from '../../support/real/parts.ts';
import { judge } from './judges.ts';

const silent = { debug: (): void => {}, info: (): void => {}, warn: (): void => {}, error: (): void => {} };

interface Trace {
  readonly durationNs: number;
  readonly root: any;
}

function decode(ftv1: string): Trace {
  const { Trace: Format } = judge('@apollo/usage-reporting-protobuf');
  return Format.toObject(Format.decode(Buffer.from(ftv1, 'base64')), { longs: Number });
}

/** A node without times, and with its children in order. Siblings are in the order of their start, which differs with promises. */
function withoutTimes({ startTime, endTime, child, error, ...node }: any): any {
  return {
    ...node,
    ...(startTime !== undefined && { hasEnded: endTime >= startTime }),
    ...(error && {
      error: error.map(({ json, ...one }: any) => ({ ...one, json: json.replace(/ApolloServerPluginInlineTrace/, 'graphql-functions') })),
    }),
    ...(child && { child: child.map(withoutTimes).toSorted((a: any, b: any) => (nameOf(a) < nameOf(b) ? -1 : 1)) }),
  };
}

function nameOf({ index, responseName }: any): string {
  return responseName ?? String(index).padStart(6, '0');
}

describe('traces beside @apollo/server', needs('federation-judges'), () => {
  test('are equal but for times for 2,000 operations', async () => {
    const { ApolloServer, HeaderMap } = judge('@apollo/server');
    const { ApolloServerPluginInlineTrace } = judge('@apollo/server/plugin/inlineTrace');
    const { buildSubgraphSchema } = judge('@apollo/subgraph');
    const { parse } = judge('graphql');
    let nodes = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const random = createRandom(seed);
      const made = randomSubgraph(random);
      const { typeDefs, resolvers } = made;
      const handler = createHandler(subgraph({ typeDefs, resolvers, traces: inlineTraces(), nodeEnv: 'production', logger: silent }));
      const apollo = new ApolloServer({
        schema: buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers }]),
        plugins: [ApolloServerPluginInlineTrace()],
        logger: silent,
        csrfPrevention: false,
      });
      await apollo.start();
      for (let at = 0; at < 20; at++) {
        const operation = randomOperation(random, made, false);
        const { query, representations } = random.chance(0.1) ? { query: '{ first { id name } _service { sdl } x: first { y: id } __typename }', representations: [] } : random.chance(0.05) ? { query: '{ nothing }', representations: [] } : operation; // prettier-ignore
        const body = { query, ...(query.includes('$representations') && { variables: { representations } }) };
        const headers = { 'content-type': 'application/json', 'apollo-federation-include-trace': 'ftv1' };

        const response = await handler(new Request('https://x.test/', { method: 'POST', headers, body: JSON.stringify(body) }));
        const ours = (await response.json()) as any;
        const theirs = await apollo.executeHTTPGraphQLRequest({
          httpGraphQLRequest: { method: 'POST', headers: new HeaderMap(Object.entries(headers)), search: '', body },
          context: async () => ({}),
        });

        const [own, other] = [decode(ours.extensions.ftv1), decode(JSON.parse(theirs.body.string).extensions.ftv1)];
        ok(own.durationNs > 0);
        deepEqual(withoutTimes(own.root), withoutTimes(other.root), JSON.stringify({ seed, at, query, representations }));
        nodes += JSON.stringify(own.root).split('"responseName"').length;
      }
      await apollo.stop();
    }
    ok(nodes > 10_000, String(nodes));
  });

  test('have the nodes of batched fields where those of other resolvers are', async () => {
    const typeDefs = 'type Query { rows: [Row] } type Row { id: ID! name(x: Int): String inner: [Row] }';
    const rows = [{ id: 1, inner: [{ id: 2 }, { id: 3, inner: [] }] }, null, { id: 4, inner: null }, { id: 5, inner: [{ id: 6 }] }];
    const traced = async (name: unknown): Promise<unknown> => {
      const resolvers = { Query: { rows: () => rows }, Row: { name } } as never;
      const handler = createHandler(subgraph({ typeDefs, resolvers, traces: inlineTraces(), nodeEnv: 'production' }));
      const headers = { 'content-type': 'application/json', 'apollo-federation-include-trace': 'ftv1' };
      const body = JSON.stringify({ query: '{ rows { id name inner { one: name(x: 1) two: name inner { name } } } }' });
      const answer = (await (await handler(new Request('https://x.test/', { method: 'POST', headers, body }))).json()) as any;
      equal(answer.errors, undefined);
      return withoutTimes(decode(answer.extensions.ftv1).root);
    };

    deepEqual(
      await traced(batch({ maxSize: 2 }, async (parents) => parents.map(({ id }) => `name ${id}`))),
      await traced(({ id }: any) => `name ${id}`),
    );
  });
});
