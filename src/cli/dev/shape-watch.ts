// Bundled into functions by the dev server, and into nothing else.

import { listObjects } from '../../edge.ts';
import type { ServerPlugin } from '../../operation/plugin.ts';
import { describe } from '../../message/describe.ts';
import type { ServerOptions } from '../../server/options.ts';

/** Values that are taken for an object with fields, which are then null, without an error. */
const kinds: readonly (readonly [is: (value: unknown) => boolean, remedy: (type: string) => string])[] = [
  [Array.isArray, (type) => `Return one object, or write [${type}] in the schema.`],
  [(value) => typeof value !== 'object', () => 'Return an object with these fields, or give the type resolvers that read this value.'],
  [(value) => value instanceof Map, () => 'Return Object.fromEntries(map).'],
  [(value) => value instanceof Response, () => 'Return await response.json(), or use RESTDataSource, which does that.'],
];

/**
 * Tells, once for each type, of values from which its fields cannot be read. GraphQL answers null for them, and says nothing. Types with
 * resolvers are left alone: these may read any value. Undefined: another plugin lists the objects of answers.
 */
export function watchShapes(
  { resolvers, schema, fieldResolver, plugins = [] }: ServerOptions,
  tell: (message: string) => void,
): Pick<ServerPlugin, 'executionWillStart'> | undefined {
  const isOthers = plugins.some((plugin) => plugin.executionWillStart !== undefined);
  if (isOthers || schema !== undefined || fieldResolver !== undefined) return undefined;
  const maps = [resolvers].flat(Infinity) as readonly (object | undefined)[];
  const told = new Set<string>();
  const look = (type: string, value: unknown): undefined => {
    const [, remedy] = kinds.find(([is]) => is(value)) ?? [];
    if (remedy === undefined || told.has(type) || maps.some((map) => map !== undefined && type in map)) return;
    told.add(type);
    tell(`A resolver returned ${describe(value)} for the type ${type}: its fields are read from that, and are null. ${remedy(type)}`);
  };
  const objects = listObjects(look);
  return { executionWillStart: () => ({ objects }) };
}
