import { deepEqual, equal, match } from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { ask, deprecated, productsText } from '../../../support/three-subgraphs.ts';

// What the public compatibility suite for subgraphs checks. What it checks through a router is in test/real/federation.

describe('the compatibility suite', () => {
  let sdl = '';
  before(async () => {
    sdl = (await ask('products', { query: '{ _service { sdl } }' })).data._service.sdl;
  });

  test('_service answers with the SDL as it was written', () => equal(sdl, productsText));
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
    deepEqual(
      await entities(
        [{ __typename: 'ProductResearch', study: { caseNumber: '1234' } }],
        '... on ProductResearch { outcome study { caseNumber description } }',
      ),
      [{ outcome: 'fine', study: { caseNumber: '1234', description: 'Federation Study' } }],
    ));
  test('@key: repeated, each in the same operation', async () => {
    equal(sdl.match(/type Product .*/)![0].split('@key').length, 4);
    const references = [
      { __typename: 'Product', id: 'p1' },
      { __typename: 'Product', sku: 'federation', package: '@apollo/federation' },
      { __typename: 'Product', sku: 'federation', variation: { id: 'OSS' } },
    ];
    deepEqual(
      await entities(references, '... on Product { id sku }'),
      references.map(() => ({ id: 'p1', sku: 'federation' })),
    );
  });
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
  test('traces (ftv1), also of an operation without resolvers', async () => {
    const { data, extensions, ...rest } = await ask('products', { query: '{ __typename }' }, { 'apollo-federation-include-trace': 'ftv1' });
    deepEqual([data, Object.keys(extensions), typeof extensions.ftv1, rest], [{ __typename: 'Query' }, ['ftv1'], 'string', {}]);
  });
});

async function entities(representations: readonly object[], selection: string): Promise<unknown> {
  const { data, errors } = await ask('products', {
    query: `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`,
    variables: { representations },
  });
  equal(errors, undefined);
  return data._entities;
}
