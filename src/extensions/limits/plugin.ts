import { Kind } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import type { OperationExecution, CheckedDocument, ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { assertEntries, getOrCreate } from '../../shared/index.ts';
import { expectations } from './options.ts';
import type { LimitsOptions } from './options.ts';
import { Prices } from './prices.ts';

/**
 * Limits the depth, the aliases and the cost of operations, and the sizes of pages: before an operation runs, by the values that its
 * resolvers will get.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [limits({ maxCost: 5000, pageLimits: { default: 20, max: 100 } })] });
 */
export function limits(options: LimitsOptions): ServerPlugin {
  assertEntries('', options, expectations, 'limits');
  /** Several servers may have the same options. */
  const known = new WeakMap<GraphQLSchema, Prices>();
  const pricesFor = (schema: GraphQLSchema): Prices => getOrCreate(known, schema, () => new Prices(schema, options));
  return {
    // Refused operations reach no other plugin.
    position: 'first',
    onlyWatches: true,
    pageDefaults: (schema) => pricesFor(schema).pages,
    check({ schema, facts, trustedDocuments }) {
      facts.set('limits', pricesFor(schema));
      for (const [id, published] of trustedDocuments()) assertWithin(pricesFor(schema), id, published);
    },
    start({ schema, facts }) {
      facts.set('limits', pricesFor(schema));
    },
    admit(execution) {
      pricesFor(execution.schema).costOf(execution);
    },
  };
}

/** Key of a fact: the prices of a server without `limits()`, where every field has the default cost. */
const ownFact: unique symbol = Symbol('prices');

/**
 * The cost of an operation, by the rules of `limits()` in the plugins of its server. `server`: the argument of `start`. Throws for an
 * operation that `limits()` refuses. 0 for one that only reads the schema.
 */
export function costOf({ schema, facts }: ServerStartContext, execution: OperationExecution): number {
  const prices = facts.get('limits') ?? getOrCreate(facts, ownFact, () => new Prices(schema, {}));
  return (prices as Prices).costOf(execution);
}

/** Throws for a valid document that exceeds a limit in every request. */
function assertWithin(prices: Prices, id: string, { document, errors }: CheckedDocument): void {
  if (errors.length > 0) return;
  try {
    for (const operation of document.definitions)
      if (operation.kind === Kind.OPERATION_DEFINITION) prices.costOf({ document, operation, variableValues: {} });
  } catch (error) {
    throw new Error(`The trusted document ${id} exceeds limits(): ${(error as Error).message}`, { cause: error });
  }
}
