export { graphqlJSExecutor } from '../executor/index.ts';
export type { GraphQLJSExecutor } from '../executor/index.ts';
