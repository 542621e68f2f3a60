import { createHandler } from 'graphql-functions/aws-lambda';
import { readBuild } from 'graphql-functions/build';

import type { Contestant, Result } from '../event.ts';

/** With the schema and the operation prebuilt by `graphql-functions build`. */
export const createBuilt = (artifact: object, resolvers: Parameters<Contestant>[0]['resolvers']): ReturnType<Contestant> => {
  const handler = createHandler({ csrfPrevention: true, build: readBuild(artifact), resolvers });
  return (event, context) => handler(event, context as never) as Promise<Result>;
};
