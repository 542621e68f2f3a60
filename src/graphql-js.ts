export { graphqlJSExecutor } from './execution/graphql-js/execute-with-graphql-js.ts';
export type { GraphQLJSExecutor } from './execution/planned-executor.ts';
