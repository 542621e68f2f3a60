import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import { batch } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import type { SubgraphOptions } from '../../../../src/entries/subgraph.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';
import { entitiesQuery, linkTo, serveSubgraph } from './serving.ts';

const typeDefs = `${linkTo('v2.9', '@key')}
  type Query { ok: Boolean }
  type Product @key(fields: "id") { id: ID! name: String }
  type User @key(fields: "id") @key(fields: "email") { id: ID! email: String }
  type Plain { id: ID }
`;
const query = entitiesQuery('... on Product { name } ... on User { email }');

/** A reference to an entity. */
const ref = (__typename: string, id: string): { readonly __typename: string; readonly id: string } => ({ __typename, id });
const product = (name: string): object => ({ __typename: 'Product', name });
const user = (email: string): object => ({ __typename: 'User', email });

interface Found {
  readonly entities: unknown;
  /** The index and the message of each error, by their index. */
  readonly errors: readonly string[];
}

/** Asks a subgraph for entities by their references. */
async function find(
  resolvers: object,
  representations: readonly unknown[],
  { of = query, ...options }: Partial<SubgraphOptions<any, any, any, any, any>> & { readonly of?: string } = {},
): Promise<Found> {
  const { data, errors = [] } = await serveSubgraph({ typeDefs, resolvers, ...options } as never)(of, { representations });
  const failed = errors.map(({ path, message }) => `${String(path?.[1])}: ${message}`);
  return { entities: data?._entities, errors: failed.toSorted((one, other) => Number.parseInt(one) - Number.parseInt(other)) };
}

const indexes = ({ errors }: Pick<Found, 'errors'>): number[] => errors.map((error) => Number.parseInt(error));

const fail = (message: string): never => {
  throw new Error(message);
};

describe('_entities', () => {
  it('answers in the order of the representations, null where nothing was found', async () => {
    const resolvers = {
      Product: { __resolveReference: ({ id }: any) => (id === '2' ? null : id === '3' ? undefined : { id, name: `name ${id}` }) },
      User: { __resolveReference: async ({ id }: any) => ({ id, email: `${id}@x.test` }) },
    };

    const found = await find(resolvers, [
      ref('User', 'a'),
      ref('Product', '1'),
      ref('Product', '2'),
      ref('Product', '3'),
      ref('User', 'b'),
    ]);

    deepEqual(found, { entities: [user('a@x.test'), product('name 1'), null, null, user('b@x.test')], errors: [] });
  });

  it('calls __resolveReference with the reference, the context and the info of the field, and `this` of its map', async () => {
    const calls: any[][] = [];
    class Resolvers {
      readonly #name = 'resolvers';

      __resolveReference(...given: unknown[]): unknown {
        calls.push([...given, this.#name]);
        return given[0];
      }
    }
    const reference = { __typename: 'Product', id: '1', price: { amount: 3 } };

    await find({ Product: new Resolvers() }, [reference], { context: () => ({ user: 'me' }) });

    const [[given, context, info, name]] = calls as [any[]];
    deepEqual([given, context.user, info.fieldName, name], [reference, 'me', '_entities', 'resolvers']);
    deepEqual(info.path, { prev: undefined, key: '_entities', typename: 'Query' });
  });

  it('takes the representation for the entity if its type has no reference resolver', async () => {
    const { entities } = await find({ Product: { name: ({ id }: any) => `name of ${id}` } }, [ref('Product', '7')]);

    deepEqual(entities, [product('name of 7')]);
  });

  it('keeps whatever fails to its own index: throws, rejections, Error instances, wrong values and wrong type names', async () => {
    const values: Readonly<Record<string, () => unknown>> = {
      throws: () => fail('thrown'),
      'throws text': () => {
        throw 'text';
      },
      rejects: async () => fail('rejected'),
      error: () => new Error('returned'),
      text: () => 'text',
      fine: () => ({ name: 'fine' }),
    };
    const names = ['Plain', 'ID', '_Entity', 'Unknown', '__proto__', 'constructor', 7, undefined];
    const failing = ['throws', 'throws text', 'rejects', 'error', 'text'].map((id) => ref('Product', id));
    const wrong = [...failing, ...names.map((__typename) => ({ __typename })), 'text', 7, []];
    const fine = ref('Product', 'fine');

    const found = await find({ Product: { __resolveReference: ({ id }: any) => values[id]!() } }, [fine, ...wrong, fine]);

    const indexesOfWrong = wrong.map((_, at) => at + 1);
    deepEqual(found.entities, [product('fine'), ...wrong.map(() => null), product('fine')]);
    deepEqual(indexes(found), indexesOfWrong);
  });

  it('makes one error for each kind of mistake, and names the first hundred names', async () => {
    const causesOf = async (text: string, representations: readonly unknown[]): Promise<readonly unknown[]> => {
      const causes: unknown[] = [];
      const formatError = (formatted: object, error: any): any => (causes.push(error.originalError), formatted);
      await find({}, representations, { typeDefs: text, formatError } as never);
      return causes;
    };
    const many = 500;

    for (const [text, wrong] of [
      [typeDefs, 1],
      [typeDefs, { __typename: 'Nothing' }],
      [
        `${typeDefs} interface Media @key(fields: "id") { id: ID } type Book implements Media @key(fields: "id") { id: ID }`,
        { __typename: 'Media' },
      ],
    ] as const) {
      const causes = await causesOf(
        text,
        Array.from({ length: many }, () => wrong),
      );
      deepEqual([causes.length, new Set(causes).size], [many, 1]);
    }
    const names = Array.from({ length: many }, (_, index) => ({ __typename: `N${index}` }));
    deepEqual(new Set(await causesOf(typeDefs, names)).size, 101);
    const { errors } = await find({}, names);
    match(errors[99]!, /__typename, got "N99"\.$/);
    match(errors[100]!, /__typename\.$/);
  });

  it('rejects the whole request only for null in the list', async () => {
    const { entities, errors } = await find({}, [ref('Product', '1'), null]);

    equal(entities, undefined);
    match(errors[0]!, /representations/);
  });

  it('leaves no promise behind when a later representation fails at once', async () => {
    const later = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve));
      return fail('later');
    };
    const resolvers = { Product: { __resolveReference: later }, User: { __resolveReference: () => fail('at once') } };

    let found: Found | undefined;
    const unhandled = await unhandledRejections(async () => {
      found = await find(resolvers, [ref('Product', '1'), ref('User', '1')]);
    });

    deepEqual([unhandled, found!.errors], [0, ['0: later', '1: at once']]);
  });

  it('changes neither entities nor references: frozen and shared rows work, also for two types', async () => {
    const row = Object.freeze({ id: 'shared', name: 'row', email: 'row@x.test', __typename: 'Row' });
    const references: unknown[] = [];
    const resolve = (reference: unknown): object => (references.push(structuredClone(reference)), row);
    const given = [ref('Product', '1'), ref('User', '2'), ref('Product', '3')];

    const resolvers = { Product: { __resolveReference: resolve }, User: { __resolveReference: async (one: any) => resolve(one) } };
    const { entities } = await find(resolvers, given);

    deepEqual(entities, [product('row'), user('row@x.test'), product('row')]);
    deepEqual(references, [given[0], given[2], given[1]]);
  });

  it('has the same answer with graphql-js', async () => {
    const resolvers = { User: { __resolveReference: async ({ id }: any) => Object.freeze({ id, email: `${id}@x.test` }) } };
    const { run } = createTester(subgraph({ typeDefs, resolvers }), { verify: true });

    const { errors, data } = await run(query, { representations: [{ ...ref('Product', '1'), name: 'n' }, ref('User', '2')] });

    deepEqual([errors, data], [undefined, { _entities: [product('n'), user('2@x.test')] }]);
  });

  it('has no largest page, and takes fields of references for no page sizes', async () => {
    const representations = Array.from({ length: 25 }, () => ({ __typename: 'Product', limit: -500, first: 1, last: 2 }));
    const plugins = [limits({ maxCost: 1000, pageLimits: { default: 10, max: 20 } })];

    const { entities, errors } = await find({}, representations, { plugins });

    deepEqual([(entities as unknown[]).length, errors], [25, []]);
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
    const representations = ['Product', 'User', 'Product', 'User', 'Product'].map((type, at) => ref(type, String(at)));

    const { data } = await ask(
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { ... on Product { name } ... on User { email } }
        more: _entities(representations: [{ __typename: "Product", id: "9" }]) { ... on Product { name } }
      }`,
      { representations },
    );

    deepEqual(calls, [
      ['Product', ['0', '2', '4'], 'me', '_entities'],
      ['User', ['1', '3'], 'me', '_entities'],
      ['Product', ['9'], 'me', 'more'],
    ]);
    deepEqual(data, {
      _entities: [{ name: 'Product 0' }, { email: '1' }, { name: 'Product 2' }, { email: '3' }, { name: 'Product 4' }],
      more: [{ name: 'Product 9' }],
    });
  });

  for (const kind of ['plain', 'promised'])
    it(`fails single items by Errors and rejections, in ${kind} lists`, async () => {
      const list = [
        new Error('returned'),
        { name: 'fine' },
        null,
        Promise.reject(new Error('rejected')),
        Promise.resolve({ name: 'later' }),
      ];
      const all = (): unknown => (kind === 'plain' ? list : Promise.resolve(list));

      const references = list.map((_, at) => ref('Product', String(at)));

      const { entities, errors } = await find({ Product: { __resolveReferences: all } }, references);

      deepEqual(entities, [null, product('fine'), null, null, product('later')]);
      deepEqual(errors, ['0: returned', '3: rejected']);
    });

  const failures: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['throws', () => fail('thrown'), /^thrown$/],
    ['rejects', async () => fail('rejected'), /^rejected$/],
    ['returns a list of another length', () => [{ id: '1' }], /must return a list of 2 \(one value for each reference\), got a list of 1/],
    ['resolves to something else', async () => ({ id: '1' }), /must return a list of 2 \(one value for each reference\), got an object/],
  ];
  for (const [what, resolveAll, message] of failures)
    it(`that ${what} fails each of its references, and no other`, async () => {
      const resolvers = { Product: { __resolveReferences: resolveAll }, User: { __resolveReference: ({ id }: any) => ({ email: id }) } };

      const references = [ref('Product', 'x'), ref('User', 'x'), ref('Product', 'x')];

      const { entities, errors } = await find(resolvers, references);

      deepEqual(
        [entities, indexes({ errors })],
        [
          [null, user('x'), null],
          [0, 2],
        ],
      );
      for (const error of errors) match(error.slice(3), message);
    });

  const [one, many] = [{ __resolveReference: () => null }, { __resolveReferences: () => [] }];
  const batched = { __resolveReference: batch((references) => references as never) };
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['both forms', { Product: { ...one, ...many } }, /resolvers\.Product has __resolveReference and __resolveReferences/],
    ['batch()', { Product: batched }, /Write __resolveReferences/],
    ['a scalar', { ID2: one }, /"ID2" is neither an object type nor an interface/],
  ];
  for (const [what, resolvers, message] of refused)
    it(`is refused at start outside of production: ${what}`, async () => {
      const [logger, lines] = recordingLogger();

      await find(resolvers, [], { typeDefs: `${typeDefs} union ID2 = Plain`, logger });

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
  const ofMedia = { typeDefs: media, of: entitiesQuery('... on Media { title } ... on Book { pages }') };
  const typeOf = ({ id }: { readonly id: string }): string => (id.startsWith('b') ? 'Book' : 'Film');

  for (const [kind, wrap] of [
    ['plain', (value: unknown): unknown => value],
    ['promised', (value: unknown): unknown => Promise.resolve(value)],
  ] as const) {
    const named = ({ id, __typename }: any): object => ({ title: `${__typename} ${id}`, pages: 3 });
    const resolve = { __resolveReference: (reference: any): unknown => wrap(named(reference)) };
    const resolveAll = { __resolveReferences: (references: any[]): unknown => wrap(references.map(named)) };
    const both = { __resolveReferences: (references: any[]) => (equal(references.length, 2), resolveAll.__resolveReferences(references)) };
    const typed = ({ id }: any): object => ({ ...named({ id, __typename: typeOf({ id }) }), __typename: typeOf({ id }) });
    const Media = { __resolveType: (value: any) => wrap(typeOf(value)) };
    const [own, all] = [
      { __resolveReference: (one: any) => wrap(typed(one)) },
      { __resolveReferences: (many: any[]) => wrap(many.map(typed)) },
    ];
    const Film = { __resolveReference: () => wrap({ title: 'of the type' }) };
    const maps: Readonly<Record<string, object>> = {
      'learn the type of the reference, and then call its resolver with its name': { Media, Book: resolve, Film: resolve },
      'join references of the interface and of the type in one plural call': { Media, Book: both, Film: resolveAll },
      'use their own resolver, and then the type of what it gives': { Media: own, Book: resolve, Film },
      'use their own plural resolver, and then the type of what it gives': { Media: all, Book: resolve, Film },
    };
    for (const [what, resolvers] of Object.entries(maps))
      it(`${what} (${kind})`, async () => {
        const book = (id: string): object => ({ __typename: 'Book', title: `Book ${id}`, pages: 3 });

        const found = await find(resolvers, [ref('Media', 'b1'), ref('Media', 'f1'), ref('Book', 'b2')], ofMedia);

        deepEqual(found, { entities: [book('b1'), { __typename: 'Film', title: 'Film f1' }, book('b2')], errors: [] });
      });
  }

  it('resolve the type of whatever their own resolver gives but null', async () => {
    const given: Record<string, unknown> = { b1: null, b2: undefined, f1: new Error('returned') };
    const Media = { __resolveReference: ({ id }: any) => given[id], __resolveType: () => fail('type') };

    const references = Object.keys(given).map((id) => ref('Media', id));

    const { entities, errors } = await find({ Media }, references, ofMedia);

    deepEqual(
      [entities, errors],
      [
        [null, null, null],
        ['1: type', '2: type'],
      ],
    );
  });

  for (const wrong of ['Query', 'Media', 'Unknown', undefined, 7])
    it(`fail at the index for the type ${String(wrong)}`, async () => {
      const Media = { __resolveType: ({ id }: any) => (id === 'b1' ? wrong : 'Film') };

      const { entities, errors } = await find({ Media }, [ref('Media', 'b1'), ref('Media', 'f1')], ofMedia);

      deepEqual([entities, indexes({ errors })], [[null, { __typename: 'Film', title: null }], [0]]);
      match(errors[0]!, /Write resolvers\.Media\.__resolveType/);
    });
});
