import { GraphQLSchema } from 'graphql';

import { describeValue } from './resolvers/merge-resolvers.ts';
import { isSchema } from './sdl/type-defs.ts';
import { readEnvironment } from '../../shared/index.ts';

/** Checks a schema that the user has built. Throws an Error that says what to do if it cannot be used. */
export function assertReadySchema(schema: unknown): GraphQLSchema {
  if (schema instanceof GraphQLSchema) return schema;
  if (isSchema(schema)) throw new Error(`${twoCopies}\n${readEnvironment('VITEST') !== undefined ? vitestAdvice : advice}`);
  const hint =
    typeof schema === 'string' ? ' Give schema text as `typeDefs`.' : describeValue(schema) === 'a promise' ? ' Await it first.' : '';
  throw new Error(`schema takes a GraphQLSchema, got ${describeValue(schema)}.${hint}`);
}

const twoCopies = 'There are two copies of graphql in this process, and the schema is not from the one that this server runs on.';

const advice = [
  '`npm ls graphql` shows them. Keep one: `npm dedupe graphql`, or "overrides" in package.json; when bundling, bundle both or neither.',
  'If there is only one, it was loaded both with `import` and with `require`: use `import`.',
].join('\n');

/** Vitest chooses other files of a package than Node does. */
const vitestAdvice =
  "In vitest.config.ts, set ssr: { resolve: { conditions: ['module-sync', 'node'] } } with graphql 17, " +
  "resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] } with graphql 16: tests then load graphql as Node does.";
