import { GraphQLError } from 'graphql';
import type { ValidationRule } from 'graphql';

/** Refuses `__schema` and `__type`, in version 3's words. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(
      new GraphQLError(
        'GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. To enable introspection, pass introspection: true to ApolloServer in production',
        { nodes: [node] },
      ),
    );
  },
});
