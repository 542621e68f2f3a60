import { deepEqual, equal, match } from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { ask } from '../../support/three-subgraphs.ts';
import type { Subgraph } from '../../support/three-subgraphs.ts';
import { needs } from '../../support/real/parts.ts';
import { judge } from './judges.ts';

describe('gateways of three subgraphs, one of them of version 3', needs('federation-judges'), () => {
  const names = ['products', 'users', 'inventory'] as const;
  let supergraph = '';
  const run: Record<string, (query: string) => Promise<any>> = {};

  before(async () => {
    const { parse, print, buildASTSchema } = judge('graphql');
    const sdls = await Promise.all(names.map((name) => ask(name, { query: '{ _service { sdl } }' })));
    const services = names.map((name, at) => ({ name, url: `http://${name}`, typeDefs: parse(sdls[at].data._service.sdl) }));
    const { supergraphSdl, errors } = judge('@apollo/composition').composeServices(services);
    equal(errors?.map(({ message }: any) => message).join('\n'), undefined);
    supergraph = supergraphSdl;

    const { ApolloGateway } = judge('@apollo/gateway');
    const gateway = new ApolloGateway({
      supergraphSdl: supergraph,
      buildService: ({ name }: any) => ({
        process: async ({ request }: any) => ask(name, { query: request.query, variables: request.variables }),
      }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const { executor, schema } = await gateway.load();
    run['@apollo/gateway'] = async (query) => {
      const request = { query, variables: {} };
      return executor({
        document: parse(query),
        source: query,
        request,
        queryHash: query,
        operationName: null,
        context: {},
        cache: new Map(),
        schema,
        logger: console,
        metrics: {},
      });
    };

    const { unifiedGraphHandler } = judge('@graphql-hive/router-runtime');
    const hive = await unifiedGraphHandler({
      unifiedGraph: buildASTSchema(parse(supergraph), { assumeValid: true, assumeValidSDL: true }),
      getUnifiedGraphSDL: () => supergraph,
      onSubgraphExecute: (name: string, { document, variables }: any) =>
        ask(name.toLowerCase() as Subgraph, { query: print(document), variables }),
    });
    run["Hive's router-runtime"] = async (query) =>
      hive.executor({ document: parse(query), variables: {}, operationType: 'query', context: {} });
  });

  for (const gateway of ['@apollo/gateway', "Hive's router-runtime"])
    for (const [what, query, expected] of [
      [
        '@requires and @override, across two subgraphs',
        '{ user { name averageProductsCreatedPerYear } }',
        { user: { name: 'Jane Smith', averageProductsCreatedPerYear: 134 } },
      ],
      [
        '@provides, @shareable and fields of three subgraphs',
        '{ product(id: "p1") { sku dimensions { size } createdBy { totalProductsCreated yearsOfEmployment } } }',
        {
          product: {
            sku: 'federation',
            dimensions: { size: 'small' },
            createdBy: { totalProductsCreated: 1337, yearsOfEmployment: 10 },
          },
        },
      ],
      [
        '@requires with a nested selection, on a field with an argument',
        '{ product(id: "p1") { delivery(zip: "94111") } }',
        { product: { delivery: 'p1 of 1 kg, small, to 94111' } },
      ],
      [
        '@interfaceObject',
        '{ inventories { __typename id deprecatedProducts { reason } ... on Store { city } } }',
        { inventories: [{ __typename: 'Store', id: 's1', deprecatedProducts: [{ reason: 'Migrate' }], city: 'Bath' }] },
      ],
    ] as const)
      test(`${gateway}: ${what}`, async () => {
        const { data, errors } = await run[gateway]!(query);

        equal(errors?.map(({ message }: any) => message).join('\n'), undefined);
        deepEqual(JSON.parse(JSON.stringify(data)), expected);
      });

  test('@inaccessible and @composeDirective in the supergraph', () => {
    match(supergraph, /unit: String @inaccessible/);
    match(supergraph, /\ntype Product\n[\s\S]{0,500}@custom\n/);
  });
});
