/**
 * 1,000 references beside @apollo/subgraph on graphql 16: one by one, and in one call. CPU per operation, after a warm-up.
 *
 *     node test/real/install.ts test:real
 *     node bench/subgraph.ts
 */
import { createHandler } from '../src/entries/index.ts';
import { subgraph } from '../src/entries/subgraph.ts';
import { judge } from '../test/real/federation/judges.ts';

const typeDefs = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { ok: Boolean }
  type Product @key(fields: "id") { id: ID! name: String price: Int }
`;
const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Product { id name price } } }';
const representations = Array.from({ length: 1000 }, (_, at) => ({ __typename: 'Product', id: String(at) }));

interface Reference {
  readonly id: string;
}

const productOf = ({ id }: Reference): object => ({ id, name: `Product ${id}`, price: 3 });
const resolvers = {
  synchronous: { Product: { __resolveReference: productOf } },
  asynchronous: { Product: { __resolveReference: async (reference: Reference) => productOf(reference) } },
  'in one call': { Product: { __resolveReferences: async (references: readonly Reference[]) => references.map(productOf) } },
};

function ours(map: object): () => Promise<unknown> {
  const handler = createHandler(subgraph({ typeDefs, resolvers: map as never, nodeEnv: 'production' }));
  return () => handler({ query, variables: { r: representations } });
}

function apollos(map: object): () => Promise<unknown> {
  const { execute, parse } = judge('graphql');
  const schema = judge('@apollo/subgraph').buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers: map }]);
  const document = parse(query);
  return async () => JSON.stringify(await execute({ schema, document, variableValues: { r: representations } }));
}

const contestants = Object.entries(resolvers).flatMap(([name, map]) => [
  [`${name}, this package`, ours(map)] as const,
  ...(name === 'in one call' ? [] : [[`${name}, @apollo/subgraph`, apollos(map)] as const]),
]);
for (const [name, run] of contestants) {
  for (let round = 0; round < 100; round++) await run();
  const before = process.cpuUsage();
  const rounds = 200;
  for (let round = 0; round < rounds; round++) await run();
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(36)}${((user + system) / 1000 / rounds).toFixed(2)} ms`);
}
