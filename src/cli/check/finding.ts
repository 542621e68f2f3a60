/** Something wrong with typeDefs or resolvers, and where in them. */
export interface Finding {
  readonly message: string;
  /** A place in schema text. */
  readonly sdl?: { readonly text: string; readonly offset: number } | undefined;
  /** Names of a type and of what is wrong in its resolvers: ["Query", "books"]. */
  readonly resolver?: readonly string[];
}
