import { deepEqual, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import {
  buildSchema,
  execute,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
  versionInfo,
} from 'graphql';
import type { ExecutionResult, GraphQLError, GraphQLOutputType, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../../../src/executor/execute.ts';
import { createHandler } from '../../../../../src/entries/index.ts';
import { hostileValue } from '../../../../support/hostile-values.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';
import { executors } from '../../../../support/executors.ts';

const typeDefs = `
  scalar Any
  enum Colour { RED GREEN }
  interface Node { id: ID name: String! node: Node nodes: [Node!] }
  type Item implements Node { id: ID name: String! node: Node nodes: [Node!] any: Any colour: Colour! grid: [[Int!]] }
  type Other implements Node { id: ID name: String! node: Node nodes: [Node!] number: Float! flag: Boolean items: [Item]! }
  type Query { item: Item items: [Item!]! node: Node! nodes: [Node] number: Int! text: String! any: Any colour: Colour texts: [String!] }
`;
const schema = buildSchema(typeDefs);
const text = `{ item { ...I } items { ...I } node { ...N } nodes { ...N } number text any colour texts }
fragment N on Node { __typename id name node { id name } nodes { id name } ... on Item { any colour grid } ... on Other { number flag items { id any } } }
fragment I on Item { id name node { id } nodes { name } any colour grid }`;
const rounds = cases({ short: 75, long: 5000 });
const firstSeed = Number(process.env['HOSTILE_SEED'] ?? 1);

describe('whatever hostile values resolvers return', () => {
  // graphql 16 calls `then` with one callback only, so thenables that call the other one end the process. Plans run on 16, too.
  const skip = versionInfo.major < 17 && 'graphql 16 does not outlive these values';

  it('the answer is that of graphql-js', { skip }, async () => {
    const differing: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
      const [planned, expected] = [await told(seed, runPlanned), await told(seed, runGraphQLJS)];
      if (planned !== expected) differing.push(`${seed} planned\n${planned}\n${expected}`);
    }

    deepEqual(differing.slice(0, 1), []);
  });

  it('the answer of a server is JSON with status 200, or one masked error', async () => {
    const bad: string[] = [];
    const [logger] = recordingLogger();
    let random = createRandom(1);
    const rootValue = (): object => valueOf(random, schema.getQueryType()!, 3) as object;
    const handlers = executors
      .slice(0, skip === false ? 2 : 1)
      .map(([, executor]) => createHandler({ nodeEnv: '', typeDefs, resolvers: {}, rootValue, logger, ...executor }));
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
      for (const handler of handlers) {
        random = createRandom(seed);
        // The generator drops some of its promises, which the executor never receives.
        await unhandledRejections(async () => {
          const response = await handler.fetch(post(text));
          const body = await response.text();
          const { errors = [] } = JSON.parse(body) as { errors?: { extensions?: { code?: unknown } }[] };
          if (response.status !== 200 && !(response.status === 500 && errors.length === 1)) bad.push(`${seed}: ${response.status} ${body}`);
          if (/ broke|round and round|own class/.test(body)) bad.push(`${seed}: ${body}`);
        });
      }
    }

    deepEqual(bad.slice(0, 3), []);
    ok(bad.length === 0);
  });
});

function post(query: string): Request {
  return new Request('https://example.com/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

/** Creates a value of the type as a resolver might return it, or any other value. */
function valueOf(random: Random, type: GraphQLOutputType, depth: number): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const items = (): unknown =>
      Array.from({ length: random.below(3) }, () => valueOf(random, nullable.ofType as GraphQLOutputType, depth));
    return hostileValue(random, items);
  }
  const named = getNamedType(nullable);
  if (isLeafType(named)) return hostileValue(random, () => random.pick<unknown>([1, 'RED', true, null, 2.5]));
  if (depth === 0) return null;
  const object = isAbstractType(named) ? random.pick(schema.getPossibleTypes(named)) : named;
  if (!isObjectType(object)) return null;
  const ordinary = (): unknown => ({
    __typename: object.name,
    ...Object.fromEntries(Object.values(object.getFields()).map((field) => [field.name, valueOf(random, field.type, depth - 1)])),
  });
  return object.name === 'Query' ? ordinary() : hostileValue(random, ordinary);
}

type Runner = (rootValue: unknown) => unknown;

const document = parse(text);
const settings = { schema, document, contextValue: {}, hideSuggestions: true };
const operation = document.definitions[0] as OperationDefinitionNode;
const runPlanned: Runner = (rootValue) => executePlanned({ ...settings, operation, rootValue, variableValues: undefined });
const runGraphQLJS: Runner = (rootValue) => execute({ ...settings, rootValue });
/** Describes the result as text, including values that JSON cannot represent. */
async function told(seed: number, run: Runner): Promise<string> {
  const rootValue = valueOf(createRandom(seed), schema.getQueryType()!, 3);
  let result = '';
  await unhandledRejections(async () => {
    try {
      const { data, errors = [] } = (await run(rootValue)) as ExecutionResult;
      result = `${shown(data)}\n${linesOf(data, errors).join('\n')}`;
    } catch (error) {
      result = `thrown: ${String((error as Error).message)}`;
    }
  });
  return result;
}

/** Prints data without the class name of rows. */
function shown(data: unknown): string {
  const text = inspect(data, { depth: 12, showProxy: true, customInspect: false, getters: false, breakLength: Infinity, compact: true });
  return text.replaceAll(/\b\w+ <(\[Object: null prototype\]) \{\}>/g, '$1');
}

/**
 * Describes the errors. For a position that has become null, only that fact is compared, because the first error below it and the other
 * reported errors depend on how many turns foreign thenables take. If an item of a list cannot be awaited because its `then` throws,
 * graphql 17 fails the list with the error of that item or with an internal one ("Cannot access 'promiseToSettle' before initialization").
 */
function linesOf(data: unknown, errors: readonly GraphQLError[]): string[] {
  const lines = errors.map(({ message, path = [], locations }) => {
    const depth = depthOfNull(data, path);
    return depth === path.length ? JSON.stringify({ message, path, locations }) : `${JSON.stringify(path.slice(0, depth))} is null`;
  });
  return [...new Set(lines)].toSorted();
}

function depthOfNull(data: unknown, path: readonly (string | number)[]): number {
  let value = data;
  for (const [depth, key] of path.entries()) {
    if (value === null || value === undefined) return depth;
    value = (value as Record<string | number, unknown>)[key];
  }
  return path.length;
}
