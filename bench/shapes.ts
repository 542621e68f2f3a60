// Compares the planned executor with the installed graphql-js, including JSON.stringify, on queries and schemas that it was not tuned
// for. "first" runs a new document each time (parsed anew, in a warm process), "warm" the same document. Hand-made shapes come first, then
// generated ones.
// Run: NODE_ENV=production node bench/shapes.ts [seed] [how many generated] [part of the names of the shapes to run]
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../src/executor/execute.ts';
import type { KeptPlans } from '../src/executor/execute.ts';
import { createRandom } from '../test/support/random.ts';
import { documentShapes } from './document-shapes.ts';
import { generatedShapes, graphql, knownShapes } from './plan-shapes.ts';
import type { DocumentShape } from './plan-shapes.ts';
import { pairedRatio } from './statistics.ts';
import type { Timed, Turns } from './statistics.ts';

const { buildSchema, execute, parse } = graphql;

const seed = Number(process.argv[2] ?? 1);
const generated = Number(process.argv[3] ?? 40);
/** Part of the names of the shapes to run. */
const wanted = process.argv[4] ?? '';
const turns: Turns = { slice: 12, rounds: 9, warmUps: 4, most: 400 };

const results: { name: string; warm: number; first: number }[] = [];
for (const shape of [...knownShapes(), ...documentShapes(), ...generatedShapes(createRandom(seed), generated)]) {
  if (!shape.name.includes(wanted)) continue;
  const result = { name: shape.name, ...(await compare(shape)) };
  results.push(result);
  console.log(`${result.name.padEnd(60)} warm ${result.warm.toFixed(2)}  first run ${result.first.toFixed(2)}`);
}
for (const key of ['warm', 'first'] as const) {
  const ratios = results.map((result) => result[key]).toSorted((a, b) => a - b);
  const at = (part: number): string => ratios[Math.min(ratios.length - 1, Math.floor(ratios.length * part))]!.toFixed(2);
  console.log(`${key === 'warm' ? 'warm' : 'first run'}, to graphql-js: median ${at(0.5)}, worst tenth from ${at(0.9)}, worst ${at(1)}`);
}

/** A document with the place where its plan is kept, as the document cache has it. */
interface Kept {
  readonly document: DocumentNode;
  readonly kept: KeptPlans;
}

type Executor = (run: Kept & { readonly schema: GraphQLSchema }) => unknown;

async function compare(shape: DocumentShape): Promise<{ warm: number; first: number }> {
  const schemas = shape.typeDefs.map((typeDefs) => buildSchema(typeDefs));
  const settings = { rootValue: shape.rootValue, contextValue: {}, variableValues: shape.variables, hideSuggestions: true };
  const firstOf = ({ definitions }: DocumentNode): OperationDefinitionNode => definitions[0] as OperationDefinitionNode;
  const ours: Executor = ({ schema, document, kept }) =>
    executePlanned({ schema, document, kept, operation: firstOf(document), ...settings });
  const theirs: Executor = ({ schema, document }) =>
    execute({ schema, document, operationName: firstOf(document).name?.value, ...settings });
  const expected = JSON.stringify(await theirs({ schema: schemas[0]!, ...parsed(shape) }));
  if (JSON.stringify(await ours({ schema: schemas[0]!, ...parsed(shape) })) !== expected)
    throw new Error(`${shape.name} is answered differently`);
  return {
    warm: await pairedRatio(warm(schemas, shape, ours), warm(schemas, shape, theirs), turns),
    first: await pairedRatio(first(schemas, shape, ours), first(schemas, shape, theirs), turns),
  };
}

function parsed({ text }: DocumentShape): Kept {
  return { document: parse(text), kept: { byOperation: new Map() } };
}

/** Microseconds per run of so many. */
function warm(schemas: readonly GraphQLSchema[], shape: DocumentShape, run: Executor): Timed {
  const document = parsed(shape);
  return (count) => timed(count, () => document, schemas, run);
}

function first(schemas: readonly GraphQLSchema[], shape: DocumentShape, run: Executor): Timed {
  return (count) => {
    const documents = Array.from({ length: count }, () => parsed(shape));
    return timed(count, (at) => documents[at]!, schemas, run);
  };
}

async function timed(count: number, documentOf: (at: number) => Kept, schemas: readonly GraphQLSchema[], run: Executor): Promise<number> {
  const start = process.hrtime.bigint();
  for (let at = 0; at < count; at++) {
    const result = run({ schema: schemas[at % schemas.length]!, ...documentOf(at) });
    JSON.stringify(result instanceof Promise ? await result : result);
  }
  return Number(process.hrtime.bigint() - start) / 1_000 / count;
}
