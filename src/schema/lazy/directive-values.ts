import { getDirectiveValues } from 'graphql';
import type { ConstDirectiveNode, GraphQLDirective } from 'graphql';

/**
 * The arguments of a directive on a definition; undefined without the directive.
 *
 * graphql-js throws a GraphQLError for arguments that do not fit. Here that may happen in the middle of a
 * request, where a GraphQLError would be answered as the client's mistake.
 */
export function directiveValues(
  directive: GraphQLDirective,
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
): { readonly [argument: string]: unknown } | undefined {
  if (!node.directives?.length) return undefined;
  try {
    return getDirectiveValues(directive, node as Parameters<typeof getDirectiveValues>[1]);
  } catch (error) {
    throw new Error(`typeDefs use @${directive.name} wrongly. ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
