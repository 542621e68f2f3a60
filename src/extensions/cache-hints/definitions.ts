/** Definitions of `@cacheControl`, for `typeDefs`. */
export const cacheControlDefinitions: string =
  'enum CacheControlScope { PUBLIC PRIVATE }\n' +
  'directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION';
