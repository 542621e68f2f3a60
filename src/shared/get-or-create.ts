/** The value of a key. Creates and stores it if the map has none. */
export function getOrCreate<TKey, TValue>(
  map: { get(key: TKey): TValue | undefined; set(key: TKey, value: TValue): unknown },
  key: TKey,
  create: () => TValue,
): TValue {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}
