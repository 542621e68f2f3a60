/** One case of how hints make a lifetime: what Apollo Server's cache-control plugin does, as a table. */
export interface Row {
  readonly name: string;
  readonly typeDefs: string;
  readonly query: string;
  readonly variables?: object;
  readonly defaultMaxAge?: number;
  /** Seconds, or 'private' for an answer that no cache may store. */
  readonly expected: number | 'private';
  readonly resolvers?: object;
}

/** A droid with a friend. */
export const droid = { id: '1', name: 'R2', friends: [{ id: '2', name: 'Luke', friends: [] }] };
/** What root fields resolve to. */
export const root = {
  droid,
  droids: [droid, droid],
  name: 'x',
  node: { __typename: 'Droid', ...droid },
  dynamic: droid,
  none: null,
};

// Any: the schema, the path and the hints that a resolver reaches into.
export type Info = any;
/** A resolver that gives a hint. */
export const hint = (given: object) => (_: unknown, __: unknown, ___: unknown, info: Info) => {
  info.cacheControl.setCacheHint(given);
  return droid;
};
