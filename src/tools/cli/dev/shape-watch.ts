// Only the dev server bundles this file into functions.

import { listObjects } from '../../../extensions/edge/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { describe } from '../../../shared/index.ts';

/** Values that GraphQL accepts as an object although their fields read as null, without an error. */
const kinds: readonly (readonly [is: (value: unknown) => boolean, remedy: (type: string) => string])[] = [
  [Array.isArray, (type) => `Return one object, or write [${type}] in the schema.`],
  [(value) => typeof value !== 'object', () => 'Return an object with these fields, or write resolvers that read this value.'],
  [(value) => value instanceof Map, () => 'Return Object.fromEntries(map).'],
  [(value) => value instanceof Response, () => 'Return await response.json(), or use RESTDataSource, which parses JSON.'],
];

/**
 * Reports, once per type, values from which its fields cannot be read: GraphQL answers null for them without an error. Types with
 * resolvers are skipped, because resolvers can read any value. Undefined when another plugin observes the objects.
 */
export function watchShapes(
  { resolvers, schema, fieldResolver, plugins = [] }: ServerOptions,
  report: (message: string) => void,
): Pick<ServerPlugin, 'executionWillStart'> | undefined {
  const isObserved = plugins.some((plugin) => plugin.executionWillStart !== undefined);
  if (isObserved || schema !== undefined || fieldResolver !== undefined) return undefined;
  const maps = [resolvers].flat(Infinity) as readonly (object | undefined)[];
  const reported = new Set<string>();
  const check = (type: string, value: unknown): undefined => {
    const [, remedy] = kinds.find(([is]) => is(value)) ?? [];
    if (remedy === undefined || reported.has(type) || maps.some((map) => map !== undefined && type in map)) return;
    reported.add(type);
    report(`A resolver returned ${describe(value)} for the type ${type}, so its fields are null. ${remedy(type)}`);
  };
  const objects = listObjects(check);
  return { executionWillStart: () => ({ objects }) };
}
