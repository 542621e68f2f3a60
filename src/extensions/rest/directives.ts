import { DirectiveLocation, GraphQLDirective, GraphQLEnumType, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';

/**
 * The directives of routes, for editors and linters that read a schema. The server knows them without this text.
 */
export const restDefinitions = `enum HTTPMethod { GET POST PUT PATCH DELETE }
directive @http(method: HTTPMethod!, route: String!, queryParameters: [String!], status: Int) on QUERY | MUTATION
directive @body on VARIABLE_DEFINITION
`;

const methods = { GET: {}, POST: {}, PUT: {}, PATCH: {}, DELETE: {} };

export type Method = keyof typeof methods;

/** The arguments of `@http`. */
export interface HTTPValues {
  readonly method: Method;
  readonly route: string;
  readonly queryParameters?: readonly string[] | null;
  readonly status?: number | null;
}

export const http: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'http',
  locations: [DirectiveLocation.QUERY, DirectiveLocation.MUTATION],
  args: {
    method: { type: new GraphQLNonNull(new GraphQLEnumType({ name: 'HTTPMethod', values: methods })) },
    route: { type: new GraphQLNonNull(GraphQLString) },
    queryParameters: { type: new GraphQLList(new GraphQLNonNull(GraphQLString)) },
    status: { type: GraphQLInt },
  },
});

export const body: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'body',
  locations: [DirectiveLocation.VARIABLE_DEFINITION],
});
