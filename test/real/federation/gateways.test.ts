import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { inlineTraces, subgraph } from '../../../src/entries/subgraph.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';
import { httpAPIEvent } from '../../../src/tools/testing/events.ts';
import { needs } from '../parts.ts';
import { judge } from './judges.ts';

// The cases of the public compatibility suite for subgraphs, with one subgraph whose schema uses every directive, and two others
// for what only a gateway shows.

const secret = 'open sesame';
const routerSecret = { secrets: () => [secret] };

const productsText = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@composeDirective", "@extends", "@external", "@inaccessible", "@interfaceObject", "@key", "@override", "@provides", "@requires", "@shareable", "@tag"])
    @link(url: "https://example.com/custom/v1.0", import: ["@custom"])
    @composeDirective(name: "@custom")

  directive @custom on OBJECT

  type Query {
    product(id: ID!): Product
    deprecatedProduct(sku: String!, package: String!): DeprecatedProduct @deprecated(reason: "Use product")
  }
  type Product @custom @key(fields: "id") @key(fields: "sku package") @key(fields: "sku variation { id }") {
    id: ID!
    sku: String
    package: String
    variation: ProductVariation
    dimensions: ProductDimension
    createdBy: User @provides(fields: "totalProductsCreated")
    notes: String @tag(name: "internal")
    research: [ProductResearch!]!
  }
  type DeprecatedProduct @key(fields: "sku package") { sku: String! package: String! reason: String createdBy: User }
  type ProductVariation { id: ID! }
  type ProductResearch @key(fields: "study { caseNumber }") { study: CaseStudy! outcome: String }
  type CaseStudy { caseNumber: ID! description: String }
  type ProductDimension @shareable { size: String weight: Float unit: String @inaccessible }
  extend type User @key(fields: "email") {
    averageProductsCreatedPerYear: Int @requires(fields: "totalProductsCreated yearsOfEmployment")
    email: ID! @external
    name: String @override(from: "users")
    totalProductsCreated: Int @external
    yearsOfEmployment: Int! @external
  }
  type Inventory @interfaceObject @key(fields: "id") { id: ID! deprecatedProducts: [DeprecatedProduct!]! }
`;

const research = { study: { caseNumber: '1234', description: 'Federation Study' }, outcome: 'fine' };
const product = {
  id: 'p1',
  sku: 'federation',
  package: '@apollo/federation',
  variation: { id: 'OSS' },
  dimensions: { size: 'small', weight: 1, unit: 'kg' },
  createdBy: { email: 'a@x.test', totalProductsCreated: 1337 },
  notes: 'a note',
  research: [research],
};
const deprecated = { sku: 'apollo-federation-v1', package: '@apollo/federation-v1', reason: 'Migrate', createdBy: { email: 'a@x.test' } };

const products = createHandler(
  subgraph({
    typeDefs: productsText,
    routerSecret,
    traces: inlineTraces(),
    nodeEnv: 'production',
    resolvers: {
      Query: { product: () => product, deprecatedProduct: () => deprecated },
      Product: {
        __resolveReference: ({ id, sku, package: name, variation }) =>
          id === product.id || (sku === product.sku && (name === product.package || variation?.id === 'OSS')) ? product : null,
      },
      DeprecatedProduct: { __resolveReferences: (references) => references.map(({ sku }) => (sku === deprecated.sku ? deprecated : null)) },
      ProductResearch: { __resolveReference: ({ study }) => (study.caseNumber === '1234' ? research : null) },
      User: {
        __resolveReference: (reference) => ({ name: 'Jane Smith', ...reference }),
        averageProductsCreatedPerYear: ({ totalProductsCreated, yearsOfEmployment }) =>
          Math.round(totalProductsCreated / yearsOfEmployment),
      },
      Inventory: { deprecatedProducts: () => [deprecated] },
    },
  }),
);

const users = createHandler(
  subgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])
      type Query { user: User }
      type User @key(fields: "email") { email: ID! name: String totalProductsCreated: Int @shareable yearsOfEmployment: Int! }
    `,
    routerSecret,
    nodeEnv: 'production',
    resolvers: {
      Query: { user: () => ({ email: 'a@x.test', name: 'never seen', totalProductsCreated: 1337, yearsOfEmployment: 10 }) },
      User: {
        __resolveReferences: async (references) =>
          references.map(({ email }) => ({ email, totalProductsCreated: 1337, yearsOfEmployment: 10 })),
      },
    },
  }),
);

const inventory = new ApolloServer({
  ...subgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
      type Query { inventories: [Inventory] }
      interface Inventory @key(fields: "id") { id: ID! }
      type Store implements Inventory @key(fields: "id") { id: ID! city: String }
      type Product @key(fields: "id") { id: ID! delivery: String }
      type ProductDimension @shareable { size: String weight: Float }
    `,
    routerSecret,
    resolvers: {
      Query: { inventories: () => [{ __typename: 'Store', id: 's1', city: 'Bath' }] },
      Inventory: { __resolveType: () => 'Store' },
      Store: { __resolveReference: ({ id }) => ({ id, city: 'Bath' }) },
      Product: { delivery: ({ id }) => `${id} tomorrow` },
    },
  }),
  nodeEnv: 'production',
  csrfPrevention: true,
}).createHandler<any, any>();

interface GraphQLRequest {
  readonly query: string;
  readonly variables?: unknown;
}

type Subgraph = 'products' | 'users' | 'inventory';

async function ask(name: Subgraph, body: GraphQLRequest, fields?: Readonly<Record<string, string>>): Promise<any> {
  const headers = { 'content-type': 'application/json', 'x-router-secret': secret, ...fields };
  const text = JSON.stringify(body);
  if (name !== 'inventory')
    return (await (name === 'products' ? products : users)(new Request('https://x.test/', { method: 'POST', headers, body: text }))).json();
  const event = httpAPIEvent({ method: 'POST', path: '/', query: '', headers: Object.entries(headers), body: text });
  return JSON.parse((await inventory(event, {} as never, () => {})).body as string);
}

async function entities(representations: readonly object[], selection: string): Promise<unknown> {
  const { data, errors } = await ask('products', {
    query: `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`,
    variables: { representations },
  });
  equal(errors, undefined);
  return data._entities;
}

describe('the compatibility suite', () => {
  let sdl = '';
  before(async () => {
    sdl = (await ask('products', { query: '{ _service { sdl } }' })).data._service.sdl;
  });

  test('_service answers with the SDL, which has a query root', () => match(sdl, /type Query/));
  test('@link', () => match(sdl, /@link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.3"/));
  test('@key: single', async () => {
    match(sdl, /type Product .*@key\(fields: "id"\)/);
    deepEqual(await entities([{ __typename: 'Product', id: 'p1' }], '... on Product { sku }'), [{ sku: 'federation' }]);
  });
  test('@key: multiple fields', async () =>
    deepEqual(await entities([{ __typename: 'Product', sku: 'federation', package: '@apollo/federation' }], '... on Product { id }'), [
      { id: 'p1' },
    ]));
  test('@key: composite object', async () =>
    deepEqual(await entities([{ __typename: 'Product', sku: 'federation', variation: { id: 'OSS' } }], '... on Product { id }'), [
      { id: 'p1' },
    ]));
  test('@key: nested', async () =>
    deepEqual(await entities([{ __typename: 'ProductResearch', study: { caseNumber: '1234' } }], '... on ProductResearch { outcome }'), [
      { outcome: 'fine' },
    ]));
  test('@key: repeated', () => equal(sdl.match(/type Product .*/)![0].split('@key').length, 4));
  test('an entity that does not exist is null', async () =>
    deepEqual(
      await entities(
        [
          { __typename: 'Product', id: 'none' },
          { __typename: 'DeprecatedProduct', sku: 'none' },
        ],
        '__typename',
      ),
      [null, null],
    ));
  test('entities of several types, in order', async () =>
    deepEqual(
      await entities(
        [
          { __typename: 'DeprecatedProduct', sku: deprecated.sku },
          { __typename: 'Product', id: 'p1' },
        ],
        '__typename',
      ),
      [{ __typename: 'DeprecatedProduct' }, { __typename: 'Product' }],
    ));
  test('@extends and `extend type`', async () =>
    deepEqual(await entities([{ __typename: 'User', email: 'a@x.test' }], '... on User { name }'), [{ name: 'Jane Smith' }]));
  test('@external', () => match(sdl, /email: ID! @external/));
  test('@requires', async () =>
    deepEqual(
      await entities(
        [{ __typename: 'User', email: 'a@x.test', totalProductsCreated: 30, yearsOfEmployment: 10 }],
        '... on User { averageProductsCreatedPerYear }',
      ),
      [{ averageProductsCreatedPerYear: 3 }],
    ));
  test('@provides', async () =>
    deepEqual((await ask('products', { query: '{ product(id: "p1") { createdBy { totalProductsCreated } } }' })).data.product, {
      createdBy: { totalProductsCreated: 1337 },
    }));
  test('@shareable', () => match(sdl, /type ProductDimension @shareable/));
  test('@tag', () => match(sdl, /notes: String @tag\(name: "internal"\)/));
  test('@override', () => match(sdl, /name: String @override\(from: "users"\)/));
  test('@inaccessible', async () => {
    match(sdl, /unit: String @inaccessible/);
    deepEqual((await ask('products', { query: '{ product(id: "p1") { dimensions { unit } } }' })).data.product, {
      dimensions: { unit: 'kg' },
    });
  });
  test('@composeDirective', () => match(sdl, /@composeDirective\(name: "@custom"\)/));
  test('@interfaceObject', async () => {
    match(sdl, /type Inventory @interfaceObject/);
    deepEqual(await entities([{ __typename: 'Inventory', id: 's1' }], '... on Inventory { deprecatedProducts { reason } }'), [
      { deprecatedProducts: [{ reason: 'Migrate' }] },
    ]);
  });
  test('@deprecated and arguments', async () =>
    equal(
      (await ask('products', { query: '{ deprecatedProduct(sku: "x", package: "y") { reason } }' })).data.deprecatedProduct.reason,
      'Migrate',
    ));
  test('traces (ftv1)', async () => {
    const { extensions } = await ask('products', { query: '{ product(id: "p1") { id } }' }, { 'apollo-federation-include-trace': 'ftv1' });
    ok(Buffer.from(extensions.ftv1, 'base64').length > 20);
  });
});

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

  for (const gateway of ['@apollo/gateway', "Hive's router-runtime"]) {
    const answer = async (query: string): Promise<unknown> => {
      const { data, errors } = await run[gateway]!(query);
      equal(errors?.map(({ message }: any) => message).join('\n'), undefined);
      return JSON.parse(JSON.stringify(data));
    };

    test(`${gateway}: @requires and @override, across two subgraphs`, async () =>
      deepEqual(await answer('{ user { name averageProductsCreatedPerYear } }'), {
        user: { name: 'Jane Smith', averageProductsCreatedPerYear: 134 },
      }));

    test(`${gateway}: @provides, @shareable and fields of three subgraphs`, async () =>
      deepEqual(
        await answer('{ product(id: "p1") { sku delivery dimensions { size } createdBy { totalProductsCreated yearsOfEmployment } } }'),
        {
          product: {
            sku: 'federation',
            delivery: 'p1 tomorrow',
            dimensions: { size: 'small' },
            createdBy: { totalProductsCreated: 1337, yearsOfEmployment: 10 },
          },
        },
      ));

    test(`${gateway}: @interfaceObject`, async () =>
      deepEqual(await answer('{ inventories { __typename id deprecatedProducts { reason } ... on Store { city } } }'), {
        inventories: [{ __typename: 'Store', id: 's1', deprecatedProducts: [{ reason: 'Migrate' }], city: 'Bath' }],
      }));
  }

  test('@inaccessible and @composeDirective in the supergraph', () => {
    match(supergraph, /unit: String @inaccessible/);
    match(supergraph, /\ntype Product\n[\s\S]{0,500}@custom\n/);
  });
});
