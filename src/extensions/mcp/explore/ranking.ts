import { getNamedType, isEnumType, isInputObjectType } from 'graphql';

import type { Composite, Field, VisibleSchema } from './visible-schema.ts';

/** A field of the index. */
export interface Entry {
  readonly type: Composite;
  readonly field: Field;
}

/** How often a field has a word, by the weights of the places where it has it. */
interface Posting {
  readonly at: number;
  weight: number;
}

/** Words that questions have and that tell nothing. */
const ignored: ReadonlySet<string> = new Set(
  'a all an and any are as at be by can do does for from get give has have how i in is it its list many me my of on or show that the their them this to was what when where which who whose with'.split(
    ' ',
  ),
);

/** Splits text at case, digits, underscores and everything else that is no letter, and reduces plurals. */
export function wordsIn(text: string): readonly string[] {
  const parts =
    text
      .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? [];
  return parts.filter((word) => !ignored.has(word)).map(stem);
}

function stem(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<=[^su])s$/, '')
    .replace(/(?<=...)(?:ing|ed)$/, '');
}

/** Ranks fields by BM25 over names and descriptions. */
export class Ranking {
  readonly #entries: readonly Entry[];
  readonly #postings = new Map<string, Posting[]>();
  readonly #lengths: readonly number[];
  readonly #average: number;

  constructor(visible: VisibleSchema) {
    const entries: Entry[] = [];
    for (const type of visible.types)
      if ('getInterfaces' in type) for (const field of visible.fieldsOf(type).values()) entries.push({ type, field });
    this.#entries = entries;
    this.#lengths = entries.map((entry, at) => this.#add(visible, entry, at));
    this.#average = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, entries.length);
  }

  /** Returns the length of the entry. */
  #add(visible: VisibleSchema, { type, field }: Entry, at: number): number {
    let length = 0;
    const add = (text: string | null | undefined, weight: number): void => {
      for (const word of wordsIn(text ?? '')) {
        length += weight;
        const postings = this.#postings.get(word);
        const last = postings?.at(-1);
        if (last?.at === at) last.weight += weight;
        else if (postings === undefined) this.#postings.set(word, [{ at, weight }]);
        else postings.push({ at, weight });
      }
    };
    const returned = getNamedType(field.type);
    add(field.name, 4);
    add(type.name, 2);
    add(returned.name, 1);
    add(field.description, 1);
    if (isEnumType(returned)) for (const value of returned.getValues()) if (visible.has(value)) add(value.name, 0.5);
    for (const one of field.args)
      if (visible.has(one)) {
        add(one.name, 0.5);
        const input = getNamedType(one.type);
        if (isInputObjectType(input)) for (const part of Object.values(input.getFields())) if (visible.has(part)) add(part.name, 0.25);
      }
    return length;
  }

  /** The entries with a word of the question, the best first. */
  search(question: string): readonly Entry[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsIn(question.slice(0, 1000)))) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (this.#entries.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { at, weight } of postings) {
        const length = this.#lengths[at]! / this.#average;
        scores.set(at, (scores.get(at) ?? 0) + (rarity * weight * 2.2) / (weight + 1.2 * (0.4 + 0.6 * length)));
      }
    }
    // Entries are in the order of names.
    const ranked = [...scores].toSorted(([one, score], [other, better]) => better - score || one - other);
    return ranked.map(([at]) => this.#entries[at]!);
  }
}
