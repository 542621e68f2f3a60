import { deepEqual, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import { subgraph } from '../../../src/entries/subgraph.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { needs } from '../../support/real/parts.ts';
import { judge } from './judges.ts';

const silent = { debug: (): void => {}, info: (): void => {}, warn: (): void => {}, error: (): void => {} };

/** The SDL that a router gets from this library. */
async function sdlOf(typeDefs: string): Promise<string> {
  const { data } = await createHandler(subgraph({ typeDefs, nodeEnv: 'production', logger: silent }))({ query: '{ _service { sdl } }' });
  return data._service.sdl as string;
}

/** The SDL that a router gets from @apollo/subgraph 2.14; 2.15 adds definitions for types that are only extended. */
async function sdlByApollo(typeDefs: string): Promise<string> {
  const { graphql, parse } = judge('graphql');
  const schema = judge('subgraph-2.14').buildSubgraphSchema([{ typeDefs: parse(typeDefs) }]);
  return ((await graphql({ schema, source: '{ _service { sdl } }' })) as any).data._service.sdl as string;
}

/** The supergraph of these subgraphs, or the codes of the errors. */
function compose(sdls: readonly string[]): string | readonly string[] {
  const { composeServices } = judge('@apollo/composition');
  const { parse } = judge('graphql');
  const { supergraphSdl, errors } = composeServices(
    sdls.map((sdl, at) => ({ name: `s${at}`, url: `http://s${at}`, typeDefs: parse(sdl) })),
  );
  return supergraphSdl ?? (errors as any[]).map(({ extensions }) => extensions.code as string).toSorted();
}

/** Two subgraphs with entities, shared values, interfaces, tags, overrides, descriptions, and types that are only extended. */
function randomSubgraphs(random: Random): string[] {
  const version = random.pick([0, 1, 3, 5, 7, 9, 12, 14]);
  const isFirst = random.chance(0.15);
  const as = random.chance(0.2) ? 'fed' : undefined;
  const renamed = random.chance(0.2);
  const link = (imports: readonly string[]): string =>
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.${version}"${as === undefined || renamed ? '' : `, as: "${as}"`}, import: [${imports
      .map((name) => (renamed && name === '@key' ? '{ name: "@key", as: "@primaryKey" }' : `"${name}"`))
      .join(', ')}])`;
  const key = renamed && !isFirst ? '@primaryKey' : '@key';
  const shared = isFirst ? '' : '@shareable';
  const entities = Array.from({ length: 1 + random.below(4) }, (_, at) => `E${at}`);
  const description = (): string =>
    random.chance(0.4) ? `"""Described: @${random.pick(['key', 'nothing'])} "quoted" # no comment"""\n` : '';
  const tag = (): string => (random.chance(0.3) ? ` @tag(name: "t${random.below(3)}")` : '');
  const comment = (): string => (random.chance(0.3) ? `# ${random.pick(['@key(', 'type X {', '"'])}\n` : '');
  const value = random.pick(['ID!', 'String', '[Int!]', 'Kind', 'Scalar']);
  const one = [
    isFirst ? '' : link(['@key', '@shareable', '@tag', ...(version >= 3 ? ['@interfaceObject'] : [])]),
    `${random.chance(0.3) ? 'extend ' : ''}type Query { ${entities.map((name) => `${name.toLowerCase()}(a: In): ${name}`).join(' ')} }`,
    'input In { a: Int = 1 b: [String!] }',
    `enum Kind { A B${tag()} }`,
    'scalar Scalar @specifiedBy(url: "https://x.test/")',
    ...entities.map(
      (
        name,
      ) => `${comment()}${description()}type ${name} ${key}(fields: "id")${random.chance(0.3) ? ` ${key}(fields: "code")` : ''}${tag()} {
        id: ID! ${description()} code: String${tag()} own${name}(first: Int = 3): ${value} @deprecated(reason: "old { }") }`,
    ),
    `type Value { a: Int ${shared} }`,
    random.chance(0.5) ? `interface Node { id: ID! }\nextend type E0 implements Node { more: Int }` : '',
    random.chance(0.5) ? `union Any = ${entities.join(' | ')}` : '',
    version >= 3 && !isFirst
      ? `interface Media ${key}(fields: "id") { id: ID! }\ntype Book implements Media ${key}(fields: "id") { id: ID! pages: Int }`
      : '',
  ];
  const other = [
    isFirst ? '' : link(['@key', '@shareable', '@external', '@requires', '@tag', ...(version >= 3 ? ['@interfaceObject'] : [])]),
    `${random.chance(0.5) ? 'extend ' : ''}type Query { second: Value }`,
    ...entities.map((name, at) =>
      isFirst
        ? `extend type ${name} @key(fields: "id") { id: ID! @external other${at}: Int }`
        : `${random.chance(0.3) ? 'extend ' : ''}type ${name} ${key}(fields: "id") { id: ID! ${random.chance(0.3) ? `code: String @external from${at}: Int @requires(fields: "code") ` : 'nothing: Int '}other${at}: Int${random.chance(0.2) ? ' @shareable' : ''} }`,
    ),
    `type Value { a: Int ${shared} }`,
    version >= 3 && !isFirst ? `type Media @interfaceObject ${key}(fields: "id") { id: ID! reviews: [String] }` : '',
  ];
  return [one, other].map((parts) => parts.filter((part) => part !== '').join('\n'));
}

describe('the SDL of subgraphs, composed', needs('federation-judges'), () => {
  test('equals that of @apollo/subgraph 2.14 for 200 pairs of generated schemas', async () => {
    let composed = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const typeDefs = randomSubgraphs(createRandom(seed));
      const ours = compose(await Promise.all(typeDefs.map(sdlOf)));
      const theirs = compose(await Promise.all(typeDefs.map(sdlByApollo)));
      deepEqual(ours, theirs, `seed ${seed}: ${typeDefs.join('\n---\n')}`);
      if (typeof ours === 'string') composed++;
    }
    ok(composed > 100, String(composed));
  });
});
