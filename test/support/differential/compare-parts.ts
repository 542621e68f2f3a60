import * as graphql from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executeInParts, planners } from '../../../src/executor/parts/parts.ts';
import type { PartsFormat, SubsequentResult } from '../../../src/executor/index.ts';

type Keys = readonly (string | number)[];

interface Results {
  readonly first: ExecutionResult & Pick<SubsequentResult, 'pending'>;
  readonly others: readonly SubsequentResult[];
}

export interface PartsRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly format: PartsFormat;
  readonly variableValues?: Readonly<Record<string, unknown>>;
  readonly maxParts?: number;
  readonly contextValue?: unknown;
}

/** Returns all results of this package's executor. */
export async function runInParts({
  schema,
  document,
  format,
  variableValues,
  contextValue,
  maxParts = 1_000,
}: PartsRequest): Promise<Results> {
  const operation = document.definitions.find((one) => one.kind === graphql.Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  const parts = { planner: planners[format], maxParts };
  const execution = { schema, document, operation, rootValue: {}, contextValue, variableValues, hideSuggestions: true, parts };
  const { result, parts: source } = await executeInParts({ ...execution, takesAsyncIterables: true });
  return { first: result, others: source === undefined ? [] : await all({ [Symbol.asyncIterator]: () => source }) };
}

/** Returns all results of graphql-js 17. */
export async function runWithGraphQLJS({ schema, document, format, variableValues, contextValue }: PartsRequest): Promise<Results> {
  const run = format === 'legacy' ? graphql.legacyExecuteIncrementally : graphql.experimentalExecuteIncrementally;
  const outcome = await run({
    schema,
    document,
    rootValue: {},
    contextValue,
    variableValues,
    hideSuggestions: true,
  } as never);
  if (!('initialResult' in outcome)) return { first: outcome, others: [] };
  return { first: outcome.initialResult as never, others: (await all(outcome.subsequentResults as never)) as SubsequentResult[] };
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/**
 * Describes what was delivered without its order, timing and ids, which depend on when promises settle. The same is true of the
 * announcement of a fragment whose fields other fragments have delivered; `isExact` includes the announced fragments. Throws if an id is
 * used before it is announced, or is not completed exactly once.
 */
export function delivered({ first, others }: Results, { isExact = false } = {}): object {
  const places = new Map<string, string>();
  const [announced, completed, data]: string[][] = [[], [], []];
  const lists = new Map<string, { items: string[]; errors: string[] }>();
  const paths = new Map<string, Keys>();
  const open = new Set<string>();
  const announce = (pending: SubsequentResult['pending'] = []): void => {
    for (const { id, path, label } of pending) {
      if (places.has(id)) throw new Error(`${id} was announced twice`);
      places.set(id, JSON.stringify([path, label]));
      paths.set(id, path);
      open.add(id);
      announced!.push(places.get(id)!);
    }
  };
  announce(first.pending);
  for (const [at, { pending, incremental = [], completed: done = [], hasNext }] of others.entries()) {
    if (hasNext !== at < others.length - 1) throw new Error('hasNext is wrong');
    announce(pending);
    for (const { id, path, subPath = [], label, data: object, items, errors = [] } of incremental) {
      if (id !== undefined && !open.has(id)) throw new Error(`${id} is not open`);
      if (items === undefined) {
        const whole = id === undefined ? path! : [...paths.get(id)!, ...subPath];
        data!.push(JSON.stringify([whole, id === undefined ? label : undefined, object, errors.map(errorOf).toSorted()]));
        continue;
      }
      const key = id === undefined ? JSON.stringify([items === null ? path : path!.slice(0, -1), label]) : places.get(id)!;
      const list = lists.get(key) ?? { items: [], errors: [] };
      lists.set(key, list);
      // In the legacy format a list of several fragments is delivered with each of them.
      const start = id === undefined && items !== null ? Number(path!.at(-1)) : list.items.length;
      list.items.push(...(items ?? ['FAILED']).map((item, index) => `${start + index} ${JSON.stringify(item)}`));
      list.errors.push(...errors.map(errorOf));
    }
    for (const { id, errors } of done) {
      if (!open.delete(id)) throw new Error(`${id} was completed twice`);
      completed!.push(JSON.stringify([places.get(id), errors?.map(errorOf)]));
    }
  }
  if (open.size > 0) throw new Error(`${[...open].join(' ')} was not completed`);
  const failed = completed!.filter((one) => !one.endsWith(',null]'));
  return {
    data: JSON.stringify(first.data),
    errors: (first.errors ?? []).map(errorOf).toSorted(),
    announced: isExact ? announced!.toSorted() : [],
    completed: (isExact ? completed! : [...new Set(failed)]).toSorted(),
    parts: data!.toSorted(),
    lists: [...lists].map(([key, { items, errors }]) => JSON.stringify([key, items.toSorted(), errors.toSorted()])).toSorted(),
  };
}

function errorOf(error: unknown): string {
  const { message, path } = error as { message: string; path?: Keys };
  return `${message} ${path?.join('.')}`;
}
