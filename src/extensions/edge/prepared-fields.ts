import { addVary, HeaderMap } from '../../message/header-map.ts';

type Fields = Readonly<Record<string, string>>;

/**
 * Fields for many answers: checked once, and put together once with those of the answer, of which there are four sets. To set two
 * fields one by one took 0.7 µs, and to write them out another 0.3.
 */
export class PreparedFields {
  readonly #fields: HeaderMap;
  readonly #vary: readonly string[];
  readonly #known = new WeakMap<Fields, Fields>();

  /** Throws a TypeError for names and values that HTTP does not allow. `vary`: names that Vary gets in addition. */
  constructor(fields: Fields, vary: readonly string[] = []) {
    this.#fields = new HeaderMap(fields);
    this.#vary = vary;
  }

  /** `more`: one field of this answer alone. The caller vouches for it: its name is in lower case, and HTTP allows its value. */
  write(headers: HeaderMap, more?: { readonly name: string; readonly value: string }): void {
    const shared = headers.sharedRecord;
    if (shared === undefined) {
      this.#set(headers);
      if (more !== undefined) headers.set(more.name, more.value);
      return;
    }
    const record = this.#over(shared);
    if (more === undefined) {
      headers.replaceRecord(record, false);
      return;
    }
    headers.replaceRecord({ ...record, [more.name]: more.value }, true);
  }

  #over(shared: Fields): Fields {
    const known = this.#known.get(shared);
    if (known !== undefined) return known;
    const headers = new HeaderMap(shared);
    this.#set(headers);
    const made = Object.freeze(headers.toRecord());
    this.#known.set(shared, made);
    return made;
  }

  #set(headers: HeaderMap): void {
    this.#fields.forEach((value, name) => headers.set(name, value));
    for (const name of this.#vary) addVary(headers, name);
  }
}
