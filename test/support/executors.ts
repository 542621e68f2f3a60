import { graphqlJSExecutor } from '../../src/entries/graphql-js.ts';
import type { GraphQLJSExecutor } from '../../src/entries/graphql-js.ts';

/** Both ways to run operations: their names, and the option that selects each. */
export const executors: readonly (readonly ['a plan' | 'graphql-js', { readonly executor?: GraphQLJSExecutor }])[] = [
  ['a plan', {}],
  ['graphql-js', { executor: graphqlJSExecutor() }],
];
