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
  readonly score: number;
  /** The steps from the root to its type: fields, and types that `... on` selects. */
  readonly way: readonly (Entry | GraphQLNamedType)[];
}

/** Words of questions that say nothing about fields: English pronouns, prepositions, auxiliary verbs, and what asks for an answer. */
const ignored: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any anybody anyone anything are as at be because been before being below between both but by
   can could did do does doing done down during each either else ever every everything few find for from further get give go had has have having he her here
   hers him his how i if in into is it its just let like list may might more most much must need no nor not now of off on once only or other our out
   over own please same see shall she should show so some somebody someone something still such tell than that the their them then there these
   they thing this those through to too under until up us very want was we were what when where which while who whom whose why will with would yet
   you your`.split(/\s+/),
);
/** Words of schemas by the words of questions that ask for them. */
const alike: Readonly<Record<string, readonly string[]>> = {
  many: ['count', 'total'],
  me: ['viewer'],
  my: ['viewer'],
  myself: ['viewer'],
  repo: ['repository'],
  much: ['amount', 'total', 'price', 'cost'],
  when: ['at', 'date', 'time'],
  where: ['address', 'location', 'url'],
  who: ['author', 'user', 'owner', 'actor'],
  whose: ['author', 'user', 'owner', 'actor'],
};

/** Splits text at case, underscores and everything else that is no letter or digit. */
function partsOf(text: string): readonly string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{L}\d]+/gu) ?? [];
}

/** The words that a question asks for, and how much each counts. */
function askedIn(question: string): ReadonlyMap<string, number> {
  const asked = new Map<string, number>();
  for (const part of partsOf(question).map((one) => one.toLowerCase())) {
    const words = Object.hasOwn(alike, part) ? alike[part]! : ignored.has(part) ? [] : [part];
    for (const word of words) asked.set(stemOf(word), words.length > 2 ? 0.5 : 1);
  }
  return asked;
}

/** A word without its ending. */
function stemOf(part: string): string {
  if (part.length < 4) return part;
  const one = part.replace(/ies$/, 'y').replace(/(?:(?<=ss|sh|ch|x)es|(?<=[^su])s)$/, '');
  return one.replace(/(?<=...)(?:ing|ed|er|or)$/, '').replace(/([bdgmnprt])\1$/, '$1');
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
  /** The steps between types, three numbers for each: from a type, to a type, by an entry, or less than 0, the number of possible types, by a type condition. */
  readonly #steps: Int32Array;
  /** The numbers of the types of entries. */
  readonly #owners: number[] = [];

  constructor(visible: VisibleSchema) {
    this.#types = [...visible.types];
    this.#root = this.#types.indexOf(visible.schema.getQueryType()!);
    const steps: number[] = [];
    const numbers = new Map(this.#types.map((type, at) => [type, at]));
    for (const [type, from] of numbers) {
      const possible = visible.possibleTypesOf(type);
      for (const one of possible) steps.push(from, numbers.get(one)!, -possible.length);
      for (const field of visible.fieldsOf(type).values()) {
        const returned = getNamedType(field.type);
        if (isCompositeType(returned)) steps.push(from, numbers.get(returned)!, this.#owners.length);
        this.#owners.push(from);
        this.#entries.push({ type: type as Composite, field });
      }
    }
    this.#steps = Int32Array.from(steps);
    const split = new Map<string, readonly string[]>();
    const stems = new Map<string, string>();
    const stem = (part: string): string => {
      let word = stems.get(part);
      if (word === undefined) stems.set(part, (word = stemOf(part.toLowerCase())));
      return word;
    };
    this.#lengths = this.#entries.map(({ type, field }, at) => {
      let length = 0;
      const add = (text: string | null | undefined, weight: number): void => {
        if (!text) return;
        let parts = split.get(text);
        if (parts === undefined) split.set(text, (parts = partsOf(text).map(stem)));
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
        const isOld = entry >= 0 && this.#entries[entry]!.field.deprecationReason != null;
        const distance = distances[from]! + (entry < 0 ? Math.log2(1 - entry) : best / (best + 4 * scores[entry]!)) + (isOld ? 2 : 0);
        if (distance >= distances[to]! || (entry >= 0 && !isAllowed(this.#entries[entry]!.field))) continue;
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
    // The same field of many types says the same.
    const names = new Map<string, number>();
    const isNew = (name: string): boolean => names.set(name, (names.get(name) ?? 0) + 1).get(name)! <= 3;
    return found
      .filter((at) => isNew(this.#entries[at]!.field.name))
      .slice(0, 100)
      .map((at) => {
        const way: (Entry | GraphQLNamedType)[] = [];
        for (let step = last[this.#owners[at]!]; step !== undefined; step = last[steps[step]!]) {
          const entry = steps[step + 2]!;
          way.unshift(entry < 0 ? this.#types[steps[step + 1]!]! : this.#entries[entry]!);
        }
        return { ...this.#entries[at]!, score: scores[at]!, way };
      });
  }

  #score(question: string): Float64Array {
    const scores = new Float64Array(this.#entries.length);
    const asked = askedIn(question.slice(0, 1000));
    const long = [...asked.keys()].filter((one) => one.length > 3);
    for (const [word, postings] of this.#postings) {
      // Stars are counted by stargazerCount.
      const share = asked.get(word) ?? (long.some((one) => word.startsWith(one)) ? 0.4 : 0);
      if (share === 0) continue;
      const rarity = Math.log(1 + (scores.length - postings.length / 2 + 0.5) / (postings.length / 2 + 0.5));
      for (let at = 0; at < postings.length; at += 2) {
        const [entry, weight] = [postings[at]!, postings[at + 1]!];
        const length = this.#lengths[entry]! / this.#average;
        scores[entry]! += (share * rarity * weight * 2.2) / (weight + 1.2 * (0.25 + 0.75 * length));
      }
    }
    return scores;
  }
}
