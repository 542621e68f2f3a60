import { getNamedType } from 'graphql';
import type { GraphQLNamedType } from 'graphql';

import type { Field, VisibleSchema } from './visible-schema.ts';

/** A type with its steps, and the end of the shortest way to it in the search that runs. */
interface Place {
  readonly type: GraphQLNamedType;
  readonly steps: Step[];
  distance: number;
  last?: Step | undefined;
}

/** A step to a type: by a field, or by a type condition, which has no words. */
interface Step {
  readonly from: Place;
  readonly field?: Field;
  readonly to: Place;
  readonly cost: number;
  /** The weights of its words. */
  length: number;
  /** The score in the search that runs. */
  score: number;
}

/** A step that a search has found. What it says holds until the next search. */
export type Found = Step & { readonly field: Field };

/** The steps from the root to a type. */
export function wayTo({ last }: Place): readonly Step[] {
  return last === undefined ? [] : [...wayTo(last.from), last];
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
  repo: ['repository'],
  much: ['amount', 'total', 'price', 'cost'],
  when: ['at', 'date', 'time'],
  where: ['address', 'location', 'url'],
  who: ['author', 'user', 'owner', 'actor'],
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
  readonly #places: readonly Place[];
  readonly #steps: readonly Step[];
  /** The numbers of the steps with each word, each followed by the word's weight there, in quarters. */
  readonly #postings = new Map<string, number[]>();
  readonly #root: Place;
  readonly #average: number;

  constructor(visible: VisibleSchema) {
    const places = new Map(Array.from(visible.types, (type): [GraphQLNamedType, Place] => [type, { type, steps: [], distance: 0 }]));
    this.#places = [...places.values()];
    this.#root = places.get(visible.schema.getQueryType()!)!;
    for (const [type, from] of places) {
      const possible = visible.possibleTypesOf(type);
      // Few who ask know which of many types they have.
      const cost = Math.log2(1 + possible.length) - 1;
      for (const one of possible) from.steps.push({ from, to: places.get(one)!, cost, length: 0, score: 0 });
      for (const field of visible.fieldsOf(type).values()) {
        const to = places.get(getNamedType(field.type))!;
        from.steps.push({ from, field, to, cost: field.deprecationReason == null ? 0 : 2, length: 0, score: 0 });
      }
    }
    this.#steps = this.#places.flatMap(({ steps }) => steps);
    this.#index(visible);
    this.#average = this.#steps.reduce((sum, { length }) => sum + length, 0) / Math.max(1, this.#steps.length);
  }

  /** Texts and words are looked up once. Most occur often. */
  #index(visible: VisibleSchema): void {
    const [texts, words] = [new Map<string, readonly number[][]>(), new Map<string, number[]>()];
    const postingsOf = (part: string): number[] => {
      const word = stemOf(part.toLowerCase());
      const postings = this.#postings.get(word) ?? [];
      this.#postings.set(word, postings);
      words.set(part, postings);
      return postings;
    };
    for (const [at, step] of this.#steps.entries()) {
      const add = (text: string | null | undefined, weight: number): void => {
        if (!text) return;
        let all = texts.get(text);
        if (all === undefined) texts.set(text, (all = partsOf(text).map((part) => words.get(part) ?? postingsOf(part))));
        for (const postings of all) {
          step.length += weight;
          if (postings[postings.length - 2] === at) postings[postings.length - 1]! += weight;
          else postings.push(at, weight);
        }
      };
      const { from, field, to } = step;
      if (field === undefined) continue;
      add(field.name, 16);
      add(from.type.name, 8);
      add(to.type.name, 4);
      add(field.description, 4);
      for (const { name } of visible.membersOf(to.type)) add(name, 2);
      for (const { name, type } of visible.argumentsOf(field)) {
        add(name, 2);
        for (const member of visible.membersOf(getNamedType(type))) add(member.name, 1);
      }
    }
  }

  /** The fields with a word of the question, the best first, as far as allowed fields lead to them. */
  search(question: string, isAllowed: (field: Field) => boolean): readonly Found[] {
    const best = this.#score(question);
    for (const place of this.#places) [place.distance, place.last] = [place === this.#root ? 0 : Infinity, undefined];
    // The shortest ways to all types. A step that was asked for is shorter.
    const changed = new Set([this.#root]);
    for (const from of changed)
      for (const step of from.steps) {
        const { field, to, cost, score } = step;
        const distance = from.distance + cost + best / (best + 4 * score);
        if (distance >= to.distance || (field !== undefined && !isAllowed(field))) continue;
        [to.distance, to.last] = [distance, step];
        // Visited again, because a longer way to it may have been.
        changed.delete(to);
        changed.add(to);
      }
    // To sort all that have one of the words would take most of the time.
    const found = this.#steps.filter(({ score, from, field }) => score > best / 10 && from.distance < Infinity && isAllowed(field!));
    for (const step of found) step.score /= 1 + 0.3 * step.from.distance;
    const names = new Map<string, number>();
    // The same field of many types says the same.
    const isNew = ({ field: { name } }: Found): boolean => names.set(name, (names.get(name) ?? 0) + 1).get(name)! <= 3;
    return (found as Found[])
      .toSorted((one, other) => other.score - one.score)
      .filter(isNew)
      .slice(0, 100);
  }

  /** Sets the scores of the steps, and returns the best. */
  #score(question: string): number {
    for (const step of this.#steps) step.score = 0;
    const asked = askedIn(question.slice(0, 1000));
    const long = [...asked.keys()].filter((one) => one.length > 3);
    let best = Number.MIN_VALUE;
    for (const [word, postings] of this.#postings) {
      // Stars are counted by stargazerCount.
      const share = asked.get(word) ?? (long.some((one) => word.startsWith(one)) ? 0.4 : 0);
      if (share === 0) continue;
      const rarity = Math.log(1 + (this.#steps.length - postings.length / 2 + 0.5) / (postings.length / 2 + 0.5));
      for (let at = 0; at < postings.length; at += 2) {
        const [step, weight] = [this.#steps[postings[at]!]!, postings[at + 1]! / 4];
        step.score += (share * rarity * weight * 2.2) / (weight + 1.2 * (0.25 + (0.75 * step.length) / this.#average));
        if (step.score > best) best = step.score;
      }
    }
    return best;
  }
}
