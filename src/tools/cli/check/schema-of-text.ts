import { parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { createSchema } from '../../../executor/schema/index.ts';
import { checkDefinitions } from './check-definitions.ts';

/** Reads SDL as the server reads `typeDefs`, so definitions of the same type are merged. Throws an error that names unknown types. */
export function schemaOfText(text: string): GraphQLSchema {
  const schema = createSchema({ typeDefs: text }, { checkWhole: false });
  const { unknown } = checkDefinitions(parse(text).definitions);
  if (unknown.length > 0) throw new Error(`it uses types that it does not define: ${unknown.join(', ')}.`);
  return schema;
}
