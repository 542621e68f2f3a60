import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import { subgraph } from '../../../src/entries/subgraph.ts';
import { createRandom } from '../../support/random.ts';
import { needs } from '../../support/real/parts.ts';
import { judge } from './judges.ts';
import { randomOperation, randomSubgraph } from '../../support/random-subgraph.ts';
import type { RandomOperation, RandomSubgraph } from '../../support/random-subgraph.ts';

const silent = { debug: (): void => {}, info: (): void => {}, warn: (): void => {}, error: (): void => {} };

interface Answer {
  readonly data?: { readonly _entities: readonly unknown[] } | null;
  readonly errors: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

type Ask = (operation: RandomOperation) => Promise<Answer>;

/** Errors in the order of their paths: within one turn, the order is free. */
function toAnswer({ data, errors = [] }: any): Answer {
  const plain = JSON.parse(JSON.stringify({ data, errors: errors.map(({ message, path }: any) => ({ message, path })) })) as Answer;
  return { ...plain, errors: plain.errors.toSorted((a, b) => (JSON.stringify(a.path) < JSON.stringify(b.path) ? -1 : 1)) };
}

function serve({ typeDefs, resolvers }: RandomSubgraph): Ask {
  const handler = createHandler(subgraph({ typeDefs, resolvers, nodeEnv: 'production', maskErrors: false, logger: silent }));
  return async ({ query, representations }) => toAnswer(await handler({ query, variables: { representations } }));
}

function serveApollo({ typeDefs, resolvers }: RandomSubgraph): Ask {
  const { buildSubgraphSchema } = judge('@apollo/subgraph');
  const { execute, parse } = judge('graphql');
  const schema = buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers }]);
  return async ({ query, representations }) =>
    toAnswer(await execute({ schema, document: parse(query), variableValues: { representations: structuredClone(representations) } }));
}

/** Why Apollo's answer is worse for a representation. */
function kindOfDifference(representation: any, { types }: RandomSubgraph): 'unknown type' | 'thrown' | 'frozen' | undefined {
  const type = types.find(({ name }) => name === representation?.__typename);
  if (type === undefined) return 'unknown type';
  const id = String(representation.id);
  if (id.startsWith('throw-')) return 'thrown';
  return id.startsWith('frozen-') ? 'frozen' : undefined;
}

describe('_entities beside @apollo/subgraph', needs('federation-judges'), () => {
  test('answers 5,000 operations alike, and keeps the entities that Apollo loses to an unknown type, a synchronous throw or a frozen object', async () => {
    const kinds: Record<string, number> = {};
    for (let seed = 1; seed <= 250; seed++) {
      const random = createRandom(seed);
      const made = randomSubgraph(random);
      const [ours, theirs] = [serve(made), serveApollo(made)];
      for (let at = 0; at < 20; at++) {
        const { query, representations } = randomOperation(random, made, true);
        const kindOf = representations.map((one) => kindOfDifference(one, made));
        for (const kind of kindOf) if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1;
        const shared = representations.filter((_, index) => kindOf[index] === undefined);
        const answer = await ours({ query, representations });
        equal(answer.data!._entities.length, representations.length);
        const [own, others] = split(answer, kindOf);
        deepEqual(
          normalized(others),
          normalized(await theirs({ query, representations: shared })),
          JSON.stringify({ seed, at, made, query, representations }),
        );
        for (const [index, kind] of kindOf.entries())
          if (kind === 'unknown type')
            ok(
              own.some(({ path }) => path[1] === index),
              JSON.stringify({ seed, at }),
            );
      }
    }
    ok(Object.keys(kinds).length === 3, JSON.stringify(kinds));
  });
});

/** The errors of some representations, and the answer to the others. */
function split({ data, errors }: Answer, kinds: readonly unknown[]): [Answer['errors'], Answer] {
  const places = kinds.flatMap((kind, index) => (kind === undefined ? [index] : []));
  const moved = errors.flatMap((error) => {
    const place = places.indexOf(error.path[1] as number);
    return place < 0 ? [] : [{ ...error, path: ['_entities', place, ...error.path.slice(2)] }];
  });
  return [
    errors.filter(({ path }) => !places.includes(path[1] as number)),
    toAnswer({ data: { _entities: places.map((index) => data!._entities[index]) }, errors: moved }),
  ];
}

/** Messages that are worded differently on purpose, and those of graphql 16 and 17. */
function normalized(answer: Answer): Answer {
  return {
    ...answer,
    errors: answer.errors.map(({ path, message }) => ({ path, message: /^(?:rejected|error|thrown) /.test(message) ? message : 'type' })),
  };
}
