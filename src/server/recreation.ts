import type { OptionsSource } from './start.ts';
import type { ServerOptions } from './options.ts';

/** A handler that was made, and how often it has been called since. */
export interface MadeHandler {
  calls: number;
}

/** The last two handlers of a schema, to notice one that is made anew for every request. */
const handlers = new Map<unknown, MadeHandler[]>();
let warned = false;

/**
 * Warns, once, when a third handler is made for one schema and the two before have had one call each: createHandler inside a
 * handler builds the schema and empties the caches with every request. Several handlers of one schema at module level, a buffered
 * and a streaming one, or one for each route, are made before any is called, or called more than once.
 */
export function noteCreation(options: OptionsSource<ServerOptions>): MadeHandler {
  const made: MadeHandler = { calls: 0 };
  if (warned || typeof options === 'function' || options instanceof Promise) return made;
  const schema = schemaIn(options);
  const earlier = handlers.get(schema);
  if (earlier === undefined) {
    // Long texts of many handlers are not kept: three are enough to see it.
    if (handlers.size < 3) handlers.set(schema, [made]);
  } else if (earlier.length === 2 && earlier.every(({ calls }) => calls === 1)) warn(options);
  else handlers.set(schema, [...earlier.slice(-1), made]);
  return made;
}

/** Text is compared as text, a list of texts too, everything else by identity. */
function schemaIn({ schema, typeDefs, build }: ServerOptions): unknown {
  if (schema !== undefined) return schema;
  if (Array.isArray(typeDefs) && typeDefs.every((one) => typeof one === 'string')) return typeDefs.join('\n');
  return typeDefs ?? build?.artefact;
}

function warn({ logger = console }: ServerOptions): void {
  warned = true;
  handlers.clear();
  logger.warn(
    'createHandler was called again for the same schema, each time for one request. Call it once, outside of your handler function: every call builds the schema anew and starts with empty caches.',
  );
}
