/** https://specs.apollo.dev/nullability/v0.4/#@semanticNonNull. This is not in check-schema.ts, so that commands start without @graphql-tools/schema. */
export const semanticNonNull = 'directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION';
