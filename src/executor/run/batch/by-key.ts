/** The name of the property with the key, or a function that reads it. */
export type KeyOf<TRow> = (keyof TRow & string) | ((row: TRow) => unknown);

/**
 * Puts rows into the order of keys, for the result of a batched resolver: the row of each key, or null where there is none. Of several
 * rows with one key the last counts. Keys are compared as strings, so that `1` finds `'1'`, and an ObjectId its equal; a key that is
 * null or undefined finds nothing, and a row without a key is not found.
 */
export function byKey<TRow extends object>(keys: readonly unknown[], rows: Iterable<TRow>, key: KeyOf<TRow>): (TRow | null)[] {
  const found = new Map<string, TRow>();
  for (const row of rows) {
    const own = keyOf(row, key);
    if (isKey(own)) found.set(String(own), row);
  }
  return keys.map((one) => (isKey(one) ? (found.get(String(one)) ?? null) : null));
}

/** Like {@link byKey}, for fields that are lists: all rows of each key, in their order, or an empty list. */
export function groupByKey<TRow extends object>(keys: readonly unknown[], rows: Iterable<TRow>, key: KeyOf<TRow>): TRow[][] {
  const groups = new Map<string, TRow[]>();
  for (const row of rows) {
    const own = keyOf(row, key);
    if (!isKey(own)) continue;
    const name = String(own);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return keys.map((one) => (isKey(one) ? [...(groups.get(String(one)) ?? [])] : []));
}

function keyOf<TRow extends object>(row: TRow, key: KeyOf<TRow>): unknown {
  return typeof key === 'function' ? key(row) : row[key];
}

function isKey(value: unknown): boolean {
  return value !== null && value !== undefined;
}
