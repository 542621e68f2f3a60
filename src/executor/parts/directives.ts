import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLInt, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLFieldConfigArgumentMap } from 'graphql';

/** `@defer` as graphql 17 defines it; 16 does not. */
export const deferDirective: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'defer',
  description: 'Sends this fragment after the rest of the answer.',
  locations: [DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT],
  args: /* @__PURE__ */ commonArguments(),
});

/** `@stream` as graphql 17 defines it; 16 does not. */
export const streamDirective: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'stream',
  description: 'Sends the items of this list as they become available.',
  locations: [DirectiveLocation.FIELD],
  args: /* @__PURE__ */ streamArguments(),
});

function commonArguments(): GraphQLFieldConfigArgumentMap {
  return {
    if: { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: true, description: 'False: as without the directive.' },
    label: { type: GraphQLString, description: 'Names this part in the answer. Unique in the document.' },
  };
}

function streamArguments(): GraphQLFieldConfigArgumentMap {
  return {
    ...commonArguments(),
    initialCount: {
      type: new GraphQLNonNull(GraphQLInt),
      defaultValue: 0,
      description: 'How many items are part of the first answer.',
    },
  };
}
