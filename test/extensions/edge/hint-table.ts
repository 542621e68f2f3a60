/** One case of how hints determine a lifetime, as Apollo Server's cache-control plugin does it. */
export interface Row {
  readonly name: string;
  readonly typeDefs: string;
  readonly query: string;
  readonly variables?: object;
  readonly defaultMaxAge?: number;
  /** The lifetime in seconds, or 'private' for an answer that no shared cache may store. */
  readonly expected: number | 'private';
  readonly resolvers?: object;
}

/** A droid with a friend. */
export const droid = { id: '1', name: 'R2', friends: [{ id: '2', name: 'Luke', friends: [] }] };
/** The values of root fields. */
export const root = {
  droid,
  droids: [droid, droid],
  name: 'x',
  node: { __typename: 'Droid', ...droid },
  dynamic: droid,
  none: null,
};

// `any`, because resolvers read the schema, the path and the hints in it.
export type Info = any;
/** Creates a resolver that sets a hint. */
export const hint = (given: object) => (_: unknown, __: unknown, ___: unknown, info: Info) => {
  info.cacheControl.setCacheHint(given);
  return droid;
};
