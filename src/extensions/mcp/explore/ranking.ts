import { getNamedType, isCompositeType, isEnumType, isInputObjectType } from 'graphql';
import type { GraphQLNamedType } from 'graphql';

import type { Composite, Field, VisibleSchema } from './visible-schema.ts';

/** A field of a type. */
export interface Entry {
  readonly type: Composite;
  readonly field: Field;
}

/** An entry that a search has found. */
export interface Found extends Entry {
  /** The steps from the root to its type: fields, and types that `... on` selects. */
  readonly way: readonly (Entry | GraphQLNamedType)[];
}

/** Words of questions that say nothing about fields. */
const ignored: ReadonlySet<string> = new Set(
  'a an and any are as at be by can do does for from get give has have how i in is it its list of on or show that the their them this to was what when where which who whose with'.split(
    ' ',
  ),
);
/** Words of schemas by those of questions. */
const alike: Readonly<Record<string, string>> = { many: 'count', me: 'viewer', my: 'viewer', myself: 'viewer', repo: 'repository' };

/** Splits text at case, underscores and everything else that is no letter or digit, and reduces endings. `known`: words by parts. */
function wordsIn(text: string, known: Map<string, string> = new Map<string, string>()): readonly string[] {
  const words: string[] = [];
  for (const part of text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{L}\d]+/gu) ?? []) {
    let word = known.get(part);
    if (word === undefined) known.set(part, (word = wordOf(part.toLowerCase())));
    if (word !== '') words.push(word);
  }
  return words;
}

/** Returns an empty string for an ignored word. */
function wordOf(part: string): string {
  if (ignored.has(part)) return '';
  if (Object.hasOwn(alike, part)) return alike[part]!;
  if (part.length < 4) return part;
  if (part.endsWith('ies')) return `${part.slice(0, -3)}y`;
  return part.replace(/(?:(?<=ss|sh|ch|x)es|(?<=[^su])s)$/, '').replace(/(?<=...)(?:ing|ed|er|or)$/, '');
}

/** Ranks fields by BM25 over names and descriptions, and by what leads to them. */
export class Ranking {
  readonly #entries: Entry[] = [];
  /** The entries with each word, and how often they have it: two numbers for each. */
  readonly #postings = new Map<string, number[]>();
  readonly #lengths: readonly number[];
  readonly #average: number;
  readonly #types: readonly GraphQLNamedType[];
  readonly #root: number;
  /** The steps between types, three numbers for each: from a type, to a type, by an entry, or -1 for a type condition. */
  readonly #steps: Int32Array;
  /** The numbers of the types of entries. */
  readonly #owners: number[] = [];

  constructor(visible: VisibleSchema) {
    this.#types = [...visible.types];
    this.#root = this.#types.indexOf(visible.schema.getQueryType()!);
    const steps: number[] = [];
    const numbers = new Map(this.#types.map((type, at) => [type, at]));
    for (const [type, from] of numbers) {
      for (const one of visible.possibleTypesOf(type)) steps.push(from, numbers.get(one)!, -1);
      for (const field of visible.fieldsOf(type).values()) {
        const returned = getNamedType(field.type);
        if (isCompositeType(returned)) steps.push(from, numbers.get(returned)!, this.#owners.length);
        this.#owners.push(from);
        this.#entries.push({ type: type as Composite, field });
      }
    }
    this.#steps = Int32Array.from(steps);
    const split = new Map<string, readonly string[]>();
    const words = new Map<string, string>();
    this.#lengths = this.#entries.map(({ type, field }, at) => {
      let length = 0;
      const add = (text: string | null | undefined, weight: number): void => {
        if (!text) return;
        let parts = split.get(text);
        if (parts === undefined) split.set(text, (parts = wordsIn(text, words)));
        for (const word of parts) {
          length += weight;
          const postings = this.#postings.get(word);
          if (postings === undefined) this.#postings.set(word, [at, weight]);
          else if (postings.at(-2) === at) postings[postings.length - 1]! += weight;
          else postings.push(at, weight);
        }
      };
      const addAll = (members: readonly Parameters<VisibleSchema['has']>[0][], weight: number): void => {
        for (const one of members) if (visible.has(one)) add(one!.name, weight);
      };
      const returned = getNamedType(field.type);
      add(field.name, 4);
      add(type.name, 2);
      add(returned.name, 1);
      add(field.description, 1);
      if (isEnumType(returned)) addAll(returned.getValues(), 0.5);
      addAll(field.args, 0.5);
      for (const one of field.args) {
        const input = getNamedType(one.type);
        if (isInputObjectType(input) && visible.has(one)) addAll(Object.values(input.getFields()), 0.25);
      }
      return length;
    });
    this.#average = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#lengths.length);
  }

  /** The entries with a word of the question, the best first, as far as allowed entries lead to them. */
  search(question: string, isAllowed: (field: Field) => boolean): readonly Found[] {
    const scores = this.#score(question);
    let best = Number.MIN_VALUE;
    for (const score of scores) if (score > best) best = score;
    // The shortest ways to all types. A step that was asked for is shorter, a deprecated one longer.
    const distances = new Float64Array(this.#types.length).fill(Infinity);
    const last: number[] = [];
    const steps = this.#steps;
    distances[this.#root] = 0;
    for (let hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (let at = 0; at < steps.length; at += 3) {
        const from = steps[at]!;
        const to = steps[at + 1]!;
        // Most steps lead nowhere new.
        if (distances[from]! >= distances[to]!) continue;
        const entry = steps[at + 2]!;
        const isOld = entry !== -1 && this.#entries[entry]!.field.deprecationReason != null;
        const distance = distances[from]! + (entry === -1 ? 1 : best / (best + 4 * scores[entry]!)) + (isOld ? 2 : 0);
        if (distance >= distances[to]! || (entry !== -1 && !isAllowed(this.#entries[entry]!.field))) continue;
        distances[to] = distance;
        last[to] = at;
        hasChanged = true;
      }
    }
    const found: number[] = [];
    for (let at = 0; at < scores.length; at += 1) {
      const distance = distances[this.#owners[at]!]!;
      // To sort all that have one of the words would take most of the time.
      if (!(scores[at]! > best / 10) || distance === Infinity || !isAllowed(this.#entries[at]!.field)) continue;
      scores[at]! /= 1 + 0.3 * distance;
      found.push(at);
    }
    // Entries are in the order of the names of their types.
    found.sort((one, other) => scores[other]! - scores[one]! || one - other);
    return found.slice(0, 100).map((at) => {
      const way: (Entry | GraphQLNamedType)[] = [];
      for (let step = last[this.#owners[at]!]; step !== undefined; step = last[steps[step]!]) {
        const entry = steps[step + 2]!;
        way.unshift(entry === -1 ? this.#types[steps[step + 1]!]! : this.#entries[entry]!);
      }
      return { ...this.#entries[at]!, way };
    });
  }

  #score(question: string): Float64Array {
    const scores = new Float64Array(this.#entries.length);
    const asked = wordsIn(question.slice(0, 1000));
    for (const [word, postings] of this.#postings) {
      // Stars are counted by stargazerCount.
      const share = asked.includes(word) ? 1 : asked.some((one) => one.length > 3 && word.startsWith(one)) ? 0.4 : 0;
      if (share === 0) continue;
      const rarity = Math.log(1 + (scores.length - postings.length / 2 + 0.5) / (postings.length / 2 + 0.5));
      for (let at = 0; at < postings.length; at += 2) {
        const [entry, weight] = [postings[at]!, postings[at + 1]!];
        const length = this.#lengths[entry]! / this.#average;
        scores[entry]! += (share * rarity * weight * 2.2) / (weight + 1.2 * (0.4 + 0.6 * length));
      }
    }
    return scores;
  }
}
