import { Kind, GraphQLError, NoFragmentCyclesRule, validate } from 'graphql';
import type { DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode, GraphQLSchema } from 'graphql';

import { maxNesting } from './nesting.ts';
import { createError, DocumentError, withCode } from '../errors.ts';
import { getOrCreate } from '../../../shared/index.ts';

/** The size of a document with its fragments expanded and fields of the same name merged, as the executor does. */
export interface DocumentSize {
  /** The fields of each operation; Infinity for one that was too large to be measured. */
  readonly operations: ReadonlyMap<OperationDefinitionNode, number>;
  /** Pairs of fields that have to be compared before they can be merged. */
  readonly comparisons: number;
}

/**
 * Measures a document, valid or not.
 *
 * This stops two attacks. With a chain of twenty fragments, each with two fields that spread the next one, a document of 400 tokens
 * selects a million fields: 3.4 s of CPU and 740 MB. And a field repeated 370 times makes graphql-js compare 68,000 pairs in each
 * operation of a batch: 780 ms and 180 MB, within its own limit (bench/hostile.ts).
 *
 * Measuring must not become the attack itself (CVE-2026-34573). It gives up at the nesting limit, and after four selections for each
 * field that a document may have. Then `comparisons` is Infinity.
 */
export function measureDocument(document: DocumentNode, maxTokens: number): DocumentSize {
  const definitions = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(definitions.map((one) => [one.name.value, one]));
  const nestingOf = nestingWith(fragments);
  const ruler = new Ruler(fragments, 4 * maxTokens);
  const operations = new Map<OperationDefinitionNode, number>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    // Without fragments, the nesting of the text is the nesting of the operation, and has been checked.
    const depth = fragments.size === 0 ? 0 : nestingOf(definition.selectionSet);
    operations.set(definition, depth === Infinity ? ruler.giveUp() : ruler.measure([definition.selectionSet]));
  }
  // A document with unused fragments is invalid, but validation still has to read them.
  for (const [name, { selectionSet }] of fragments) {
    if (ruler.reached.has(name)) continue;
    if (nestingOf(selectionSet) === Infinity) ruler.giveUp();
    else ruler.measure([selectionSet]);
  }
  return { operations, comparisons: ruler.comparisons };
}

class Ruler {
  readonly reached: Set<string> = new Set();
  comparisons = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The sizes measured so far: a fragment may be spread in many places. */
  readonly #known = new Map<string, { readonly fields: number; readonly comparisons: number }>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  #budget: number;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, budget: number) {
    this.#fragments = fragments;
    this.#budget = budget;
  }

  /** Counts the fields of selection sets that are merged into one. It is recursive, so the nesting of the selection sets must have been checked. */
  measure(selectionSets: readonly SelectionSetNode[]): number {
    // Without fragments, no selection set is measured twice.
    const key = this.#fragments.size === 0 ? '' : this.#keyOf(selectionSets);
    const known = key === '' ? undefined : this.#known.get(key);
    if (known !== undefined) {
      this.comparisons += known.comparisons;
      return known.fields;
    }
    const { comparisons } = this;
    let fields = 0;
    for (const merged of this.#fieldsIn(selectionSets).values()) fields += this.#measureField(merged);
    if (this.#budget < 0) return this.giveUp();
    if (key !== '') this.#known.set(key, { fields, comparisons: this.comparisons - comparisons });
    return fields;
  }

  /** A key that is equal for the same selection sets. */
  #keyOf(selectionSets: readonly SelectionSetNode[]): string {
    let key = '';
    for (const one of selectionSets) {
      key += `${getOrCreate(this.#numbers, one, () => this.#numbers.size)} `;
    }
    return key;
  }

  giveUp(): number {
    this.comparisons = Infinity;
    return Infinity;
  }

  /** Returns the fields of one level by their name in the answer. A fragment that is spread several times on this level counts once. */
  #fieldsIn(selectionSets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const open = [...selectionSets];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      this.#budget -= one.selections.length;
      if (this.#budget < 0) return fields;
      for (const selection of one.selections) {
        if (selection.kind === Kind.FIELD) getOrCreate(fields, (selection.alias ?? selection.name).value, () => []).push(selection);
        else if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet);
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          this.reached.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment !== undefined) open.push(fragment.selectionSet);
        }
      }
    }
    // graphql-js also compares every pair of fragments, and looks up their fields, which takes a tenth of the time of a comparison.
    this.comparisons += spread.size * (spread.size / 2 + fields.size / 20);
    return fields;
  }

  /** Counts fields of the same name, which are merged into one, and the fields below them. */
  #measureField(fields: readonly FieldNode[]): number {
    this.comparisons += (fields.length * (fields.length - 1)) / 2;
    const selectionSets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    return selectionSets.length === 0 ? 1 : this.measure(selectionSets) + 1;
  }
}

/**
 * Returns a function that computes how deep selection sets nest with their fragments expanded: Infinity above the limit, where its recursion
 * stops. Validators and executors recurse for every level, and a chain of 1,800 fragments fits into 15,000 tokens: enough to overflow the
 * stack of some. Circular fragments nest infinitely. Each fragment is walked once.
 */
function nestingWith(fragments: ReadonlyMap<string, FragmentDefinitionNode>): (selectionSet: SelectionSetNode) => number {
  const known = new Map<string, number>();
  const nestingOf = (selectionSet: SelectionSetNode | undefined, level: number): number => {
    if (selectionSet === undefined) return 0;
    if (level > maxNesting) return Infinity;
    let deepest = 0;
    for (const one of selectionSet.selections)
      deepest = Math.max(
        deepest,
        one.kind === Kind.FRAGMENT_SPREAD ? nestingOfFragment(one.name.value, level + 1) : nestingOf(one.selectionSet, level + 1),
      );
    return deepest + 1 > maxNesting ? Infinity : deepest + 1;
  };
  const nestingOfFragment = (name: string, level: number): number =>
    getOrCreate(known, name, () => nestingOf(fragments.get(name)?.selectionSet, level));
  return (selectionSet) => nestingOf(selectionSet, 1);
}

/** Limits for a document with its fragments expanded. */
export interface LimitSettings {
  readonly schema: GraphQLSchema;
  /** Lexical tokens of the text. Also limits fields, because with fragments a few tokens can select many. */
  readonly maxTokens: number;
}

/**
 * Pairs of fields that graphql-js may compare for one request, about 1 µs and 1 KB of garbage each. A hundred fragments on one object
 * that all select `id` and `__typename` make 10,000 pairs.
 */
export const maxComparisons = 50_000;

/** Throws if {@link measureDocument} gave up: the document is too large to be validated, or its fragments are circular. */
export function assertMeasurable(settings: LimitSettings, document: DocumentNode, size: DocumentSize): void {
  if (size.comparisons < Infinity) return;
  const circles = validate(settings.schema, document, [NoFragmentCyclesRule]);
  if (circles.length > 0) throw new DocumentError(circles.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')));
  assertFields(settings, size);
  throw tooManyComparisons();
}

/** Throws if an operation has too many fields. Takes the result of {@link measureDocument}. */
export function assertFields({ maxTokens }: LimitSettings, { operations }: DocumentSize): void {
  const tooLarge = [...operations].filter(([, fields]) => fields > maxTokens);
  if (tooLarge.length === 0) return;
  const message = `Expected the operation to have at most ${maxTokens} fields, and to nest at most ${maxNesting} levels deep, when its fragments are written out.`;
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  throw new DocumentError(tooLarge.map(([operation]) => new GraphQLError(message, { nodes: operation, extensions })));
}

/** The error for a document or batch that repeats fields too often. */
export function tooManyComparisons(limit: number = maxComparisons): GraphQLError {
  return createError(
    'GRAPHQL_VALIDATION_FAILED',
    `Expected fewer repeated fields: merging those with the same name would take more than ${Math.floor(limit)} comparisons.`,
  );
}
