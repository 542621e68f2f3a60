import type { OptionsSource } from './start.ts';
import type { ServerOptions } from './options.ts';

/** What earlier handlers of this process serve, to notice a handler that is made anew for every request. */
const schemas = new Set<unknown>();
let warned = false;

/**
 * Warns, once, when a handler is made again for a schema that another one of this process serves: createHandler inside
 * a handler builds the schema and empties the caches with every request.
 */
export function warnOfRecreation(options: OptionsSource<ServerOptions>): void {
  if (warned || typeof options === 'function' || options instanceof Promise) return;
  const { schema: ready, typeDefs, build } = options;
  const schema =
    ready ??
    (Array.isArray(typeDefs) && typeDefs.every((one) => typeof one === 'string') ? typeDefs.join('\n') : (typeDefs ?? build?.artefact));
  // Text is compared as text, a list of texts too, everything else by identity. Long texts of many handlers are not kept: three are enough to see it.
  if (!schemas.has(schema)) {
    if (schemas.size < 3) schemas.add(schema);
    return;
  }
  warned = true;
  (options.logger ?? console).warn(
    'createHandler was called again for the same schema. Call it once, outside of your handler function: every call builds the schema anew and starts with empty caches.',
  );
}
