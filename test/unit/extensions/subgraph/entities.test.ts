import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import { batch } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';
import { entitiesQuery, linkTo, serveSubgraph } from './serving.ts';
import type { Answer } from './serving.ts';

const typeDefs = `${linkTo('v2.9', '@key')}
  type Query { ok: Boolean }
  type Product @key(fields: "id") { id: ID! name: String }
  type User @key(fields: "id") @key(fields: "email") { id: ID! email: String }
  type Plain { id: ID }
`;

/** A reference to an entity. */
const ref = (__typename: string, id: string): { readonly __typename: string; readonly id: string } => ({ __typename, id });

function pathsOf({ errors = [] }: Answer): unknown[] {
  return errors.map(({ path }) => path);
}

describe('_entities', () => {
  it('answers in the order of the representations, null where nothing was found', async () => {
    const ask = serveSubgraph({
      typeDefs,
      resolvers: {
        Product: { __resolveReference: ({ id }: any) => (id === '2' ? null : id === '3' ? undefined : { id, name: `name ${id}` }) },
        User: { __resolveReference: async ({ id }: any) => ({ id, email: `${id}@x.test` }) },
      },
    });

    const answer = await ask(entitiesQuery('... on Product { name } ... on User { email }'), {
      representations: [ref('User', 'a'), ref('Product', '1'), ref('Product', '2'), ref('Product', '3'), ref('User', 'b')],
    });

    deepEqual(answer, {
      data: {
        _entities: [
          { __typename: 'User', email: 'a@x.test' },
          { __typename: 'Product', name: 'name 1' },
          null,
          null,
          { __typename: 'User', email: 'b@x.test' },
        ],
      },
    });
  });

  it('calls __resolveReference with the reference, the context and the info of the field, and `this` of its map', async () => {
    const calls: unknown[][] = [];
    class Resolvers {
      readonly #name = 'resolvers';

      __resolveReference(...given: unknown[]): unknown {
        calls.push([...given, this.#name]);
        return given[0];
      }
    }
    const ask = serveSubgraph({ typeDefs, context: () => ({ user: 'me' }), resolvers: { Product: new Resolvers() as never } });

    await ask(entitiesQuery(), { representations: [{ __typename: 'Product', id: '1', price: { amount: 3 } }] });

    const [[reference, context, info, name]] = calls as [[unknown, { user: string }, { fieldName: string; path: unknown }, string]];
    deepEqual(reference, { __typename: 'Product', id: '1', price: { amount: 3 } });
    equal(context.user, 'me');
    equal(info.fieldName, '_entities');
    deepEqual(info.path, { prev: undefined, key: '_entities', typename: 'Query' });
    equal(name, 'resolvers');
  });

  it('takes the representation for the entity if its type has no reference resolver', async () => {
    const resolvers = { Product: { name: ({ id }: any) => `name of ${id}` } };
    const answer = await serveSubgraph({ typeDefs, resolvers })(
      '{ _entities(representations: [{ __typename: "Product", id: "7" }]) { ... on Product { id name } } }',
    );

    deepEqual(answer.data, { _entities: [{ id: '7', name: 'name of 7' }] });
  });

  it('keeps whatever fails to its own index: throws, rejections, Error instances, wrong values and wrong type names', async () => {
    const ask = serveSubgraph({
      typeDefs,
      resolvers: {
        Product: {
          __resolveReference: ({ id }: any) => {
            if (id === 'throws') throw new Error('thrown');
            if (id === 'throws text') throw 'text';
            if (id === 'rejects') return Promise.reject(new Error('rejected'));
            if (id === 'error') return new Error('returned');
            return id === 'text' ? 'text' : { id, name: 'fine' };
          },
        },
      },
    });
    const wrong: unknown[] = [
      ...['throws', 'throws text', 'rejects', 'error', 'text'].map((id) => ({ __typename: 'Product', id })),
      { __typename: 'Plain' },
      { __typename: 'ID' },
      { __typename: '_Entity' },
      { __typename: 'Unknown' },
      { __typename: '__proto__' },
      { __typename: 'constructor' },
      { __typename: 7 },
      {},
      'text',
      7,
      [],
    ];
    const fine = ref('Product', 'fine');

    const answer = await ask(entitiesQuery('... on Product { name }'), { representations: [fine, ...wrong, fine] });

    const entity = { __typename: 'Product', name: 'fine' };
    deepEqual(answer.data, { _entities: [entity, ...wrong.map(() => null), entity] });
    deepEqual(
      pathsOf(answer).toSorted((a: any, b: any) => a[1] - b[1]),
      wrong.map((_, at) => ['_entities', at + 1]),
    );
  });

  it('rejects the whole request only for null in the list', async () => {
    const answer = await serveSubgraph({ typeDefs })(entitiesQuery(), { representations: [{ __typename: 'Product' }, null] });

    equal(answer.data, undefined);
    match(answer.errors![0]!.message, /representations/);
  });

  it('leaves no promise behind when a later representation fails at once', async () => {
    const later = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('later');
    };
    const atOnce = (): never => {
      throw new Error('at once');
    };
    const ask = serveSubgraph({ typeDefs, resolvers: { Product: { __resolveReference: later }, User: { __resolveReference: atOnce } } });

    let answer: Answer | undefined;
    const unhandled = await unhandledRejections(async () => {
      answer = await ask(entitiesQuery(), { representations: [{ __typename: 'Product' }, { __typename: 'User' }] });
    });

    equal(unhandled, 0);
    deepEqual(answer!.errors!.map(({ message }) => message).toSorted(), ['at once', 'later']);
  });

  it('changes neither entities nor references: frozen and shared rows work, also for two types', async () => {
    const row = Object.freeze({ id: 'shared', name: 'row', email: 'row@x.test', __typename: 'Row' });
    const references: unknown[] = [];
    const resolve = (reference: unknown): object => {
      references.push(structuredClone(reference));
      return row;
    };
    const ask = serveSubgraph({
      typeDefs,
      resolvers: { Product: { __resolveReference: resolve }, User: { __resolveReference: async (reference: any) => resolve(reference) } },
    });
    const representations = [ref('Product', '1'), ref('User', '2'), ref('Product', '3')];

    const answer = await ask(entitiesQuery('... on Product { name } ... on User { email }'), { representations });

    deepEqual(answer.data._entities, [
      { __typename: 'Product', name: 'row' },
      { __typename: 'User', email: 'row@x.test' },
      { __typename: 'Product', name: 'row' },
    ]);
    deepEqual(references, [representations[0], representations[2], representations[1]]);
  });

  it('has the same answer with graphql-js', async () => {
    const { run } = createTester(
      subgraph({ typeDefs, resolvers: { User: { __resolveReference: async ({ id }) => Object.freeze({ id, email: `${id}@x.test` }) } } }),
      { verify: true },
    );
    const representations = [ref('Product', '1'), ref('User', '2')];

    const { errors, data } = await run(entitiesQuery('... on User { email }'), { representations });

    equal(errors, undefined);
    deepEqual(data, { _entities: [{ __typename: 'Product' }, { __typename: 'User', email: '2@x.test' }] });
  });

  it('has no largest page, and takes fields of references for no page sizes', async () => {
    const ask = serveSubgraph({ typeDefs, plugins: [limits({ maxCost: 1000, pageLimits: { default: 10, max: 20 } })] });

    const { data, errors } = await ask(entitiesQuery('... on Product { name }'), {
      representations: Array.from({ length: 25 }, () => ({ __typename: 'Product', limit: -500, first: 1, last: 2 })),
    });

    equal(errors, undefined);
    equal(data._entities.length, 25);
  });
});

describe('__resolveReferences', () => {
  it('is called once for each type and field, with all references in order', async () => {
    const calls: unknown[] = [];
    const resolveAll = (type: string) => (references: any[], context: any, info: any) => {
      calls.push([type, references.map(({ id }) => id), context.user, info.path.key]);
      return references.map(({ id }) => ({ id, name: `${type} ${id}`, email: id }));
    };
    const ask = serveSubgraph({
      typeDefs,
      context: () => ({ user: 'me' }),
      resolvers: {
        Product: { __resolveReferences: resolveAll('Product') },
        User: { __resolveReferences: async (...given: [any[], any, any]) => resolveAll('User')(...given) },
      },
    });
    const variables = {
      representations: ['Product', 'User', 'Product', 'User', 'Product'].map((__typename, at) => ({ __typename, id: String(at) })),
    };

    const answer = await ask(
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { ... on Product { name } ... on User { email } }
        more: _entities(representations: [{ __typename: "Product", id: "9" }]) { ... on Product { name } }
      }`,
      variables,
    );

    deepEqual(calls, [
      ['Product', ['0', '2', '4'], 'me', '_entities'],
      ['User', ['1', '3'], 'me', '_entities'],
      ['Product', ['9'], 'me', 'more'],
    ]);
    deepEqual(answer.data, {
      _entities: [{ name: 'Product 0' }, { email: '1' }, { name: 'Product 2' }, { email: '3' }, { name: 'Product 4' }],
      more: [{ name: 'Product 9' }],
    });
  });

  for (const kind of ['plain', 'promised'] as const) {
    it(`fails single items by Errors and rejections, in ${kind} lists`, async () => {
      const list = [new Error('returned'), { id: 'fine' }, null, Promise.reject(new Error('rejected')), Promise.resolve({ id: 'later' })];
      const ask = serveSubgraph({
        typeDefs,
        resolvers: { Product: { __resolveReferences: () => (kind === 'plain' ? list : Promise.resolve(list)) } },
      });

      const answer = await ask(entitiesQuery('... on Product { id }'), {
        representations: list.map((_, at) => ({ __typename: 'Product', id: String(at) })),
      });

      deepEqual(answer.data._entities, [null, ref('Product', 'fine'), null, null, ref('Product', 'later')]);
      deepEqual(
        answer.errors!.map(({ message, path }) => [path, message]),
        [
          [['_entities', 0], 'returned'],
          [['_entities', 3], 'rejected'],
        ],
      );
    });
  }

  const failures: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['throws', () => { throw new Error('thrown'); }, /^thrown$/], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('rejected')), /^rejected$/],
    ['returns a list of another length', () => [{ id: '1' }], /must return a list of 2 \(one value for each reference\), got a list of 1/],
    ['resolves to something else', async () => ({ id: '1' }), /must return a list of 2 \(one value for each reference\), got an object/],
  ];
  for (const [what, resolveAll, message] of failures) {
    it(`that ${what} fails each of its references, and no other`, async () => {
      const ask = serveSubgraph({
        typeDefs,
        resolvers: { Product: { __resolveReferences: resolveAll as never }, User: { __resolveReference: ({ id }: any) => ({ id }) } },
      });

      const answer = await ask(entitiesQuery('... on User { id }'), {
        representations: ['Product', 'User', 'Product'].map((__typename) => ({ __typename, id: 'x' })),
      });

      deepEqual(answer.data._entities, [null, ref('User', 'x'), null]);
      deepEqual(pathsOf(answer), [
        ['_entities', 0],
        ['_entities', 2],
      ]);
      for (const error of answer.errors!) match(error.message, message);
    });
  }

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['both forms', { Product: { __resolveReference: () => null, __resolveReferences: () => [] } }, /resolvers\.Product has __resolveReference and __resolveReferences/],
    ['batch()', { Product: { __resolveReference: batch((references) => references as never) } }, /Write __resolveReferences/],
    ['a scalar', { ID2: { __resolveReference: () => null } }, /"ID2" is neither an object type nor an interface/],
  ]; // prettier-ignore
  for (const [what, resolvers, message] of refused)
    it(`is refused at start outside of production: ${what}`, async () => {
      const [logger, lines] = recordingLogger();

      await serveSubgraph({ typeDefs: `${typeDefs} union ID2 = Plain`, resolvers: resolvers as never, logger })('{ ok }');

      match(lines.flatMap(({ details }) => details.map(String)).join('\n'), message);
    });
});

describe('interfaces with @key', () => {
  const media = `${linkTo('v2.3', '@key')}
    type Query { ok: Boolean }
    interface Media @key(fields: "id") { id: ID! title: String }
    type Book implements Media @key(fields: "id") { id: ID! title: String pages: Int }
    type Film implements Media @key(fields: "id") { id: ID! title: String }
  `;
  const query = entitiesQuery('... on Media { title } ... on Book { pages }');
  const representations = [ref('Media', 'b1'), ref('Media', 'f1'), ref('Book', 'b2')];
  const typeOf = ({ id }: { readonly id: string }): string => (id.startsWith('b') ? 'Book' : 'Film');
  const expected = [
    { __typename: 'Book', title: 'Book b1', pages: 3 },
    { __typename: 'Film', title: 'Film f1' },
    { __typename: 'Book', title: 'Book b2', pages: 3 },
  ];

  for (const [kind, wrap] of [
    ['plain', (value: unknown): unknown => value],
    ['promised', (value: unknown): unknown => Promise.resolve(value)],
  ] as const) {
    const named = ({ id, __typename }: any): object => ({ title: `${__typename} ${id}`, pages: 3 });
    const resolve = (reference: any): unknown => wrap(named(reference));
    const resolveAll = (references: any[]): unknown => wrap(references.map(named));
    const typed = ({ id }: any): object => ({ ...named({ id, __typename: typeOf({ id }) }), __typename: typeOf({ id }) });
    const Media = { __resolveType: (value: any) => wrap(typeOf(value)) };
    const unused = { __resolveReference: () => wrap({ title: 'of the type' }) };
    const maps: Readonly<Record<string, object>> = {
      'learn the type of the reference, and then call its resolver with its name': {
        Media,
        Book: { __resolveReference: resolve },
        Film: { __resolveReference: resolve },
      },
      'join references of the interface and of the type in one plural call': {
        Media,
        Book: { __resolveReferences: (references: any[]) => (equal(references.length, 2), resolveAll(references)) },
        Film: { __resolveReferences: resolveAll },
      },
      'use their own resolver, and then the type of what it gives': {
        Media: { __resolveReference: (reference: any) => wrap(typed(reference)) },
        Book: { __resolveReference: resolve },
        Film: unused,
      },
      'use their own plural resolver, and then the type of what it gives': {
        Media: { __resolveReferences: (references: any[]) => wrap(references.map(typed)) },
        Book: { __resolveReference: resolve },
        Film: unused,
      },
    };
    for (const [what, resolvers] of Object.entries(maps))
      it(`${what} (${kind})`, async () => {
        const ask = serveSubgraph({ typeDefs: media, resolvers: resolvers as never });

        deepEqual(await ask(query, { representations }), { data: { _entities: expected } });
      });
  }

  it('resolve the type of whatever their own resolver gives but null', async () => {
    const given: Record<string, unknown> = { b1: null, b2: undefined, f1: new Error('returned') };
    const resolveType = (): never => {
      throw new Error('type');
    };
    const ask = serveSubgraph({
      typeDefs: media,
      resolvers: { Media: { __resolveReference: ({ id }: any) => given[id], __resolveType: resolveType } },
    });

    const answer = await ask(query, { representations: Object.keys(given).map((id) => ({ __typename: 'Media', id })) });

    deepEqual(answer.data._entities, [null, null, null]);
    deepEqual(
      answer.errors!.map(({ path, message }) => [path, message]),
      [
        [['_entities', 1], 'type'],
        [['_entities', 2], 'type'],
      ],
    );
  });

  for (const wrong of ['Query', 'Media', 'Unknown', undefined, 7]) {
    it(`fail at the index for the type ${String(wrong)}`, async () => {
      const ask = serveSubgraph({
        typeDefs: media,
        resolvers: { Media: { __resolveType: (({ id }: any) => (id === 'b1' ? wrong : 'Film')) as never } },
      });

      const answer = await ask(query, { representations: representations.slice(0, 2) });

      deepEqual(answer.data._entities, [null, { __typename: 'Film', title: null }]);
      deepEqual(pathsOf(answer), [['_entities', 0]]);
      match(answer.errors![0]!.message, /Write resolvers\.Media\.__resolveType/);
    });
  }
});
