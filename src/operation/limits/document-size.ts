import { Kind } from 'graphql';
import type {
  DefinitionNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  SelectionNode,
} from 'graphql';

/** The size of a document when its fragments are written out and fields of one name are merged, as the executor does. */
export interface DocumentSize {
  readonly operations: ReadonlyMap<OperationDefinitionNode, Size>;
  /** Pairs of fields that have to be compared before they can be merged. */
  readonly comparisons: number;
}

/** Sums and heights of an operation. `fields` is Infinity for one that was too large to be measured. */
export interface Size {
  readonly fields: number;
  readonly aliases: number;
  /** Levels of fields. What describes the schema counts as one: it is as deep as graphql-js allows, and no data hangs on it. */
  readonly depth: number;
}

/**
 * Measures a document that need not be valid.
 *
 * Two attacks need it. A fragment of two fields that both spread the next fragment, twenty times over, is a document of
 * 400 tokens that asks for a million fields: 3.4 s of CPU and 740 MB. And a field repeated 370 times is 68,000 pairs to
 * graphql-js, in each operation of a batch: 780 ms and 180 MB, without reaching its bound (bench/hostile.ts).
 *
 * A measure that took the time of what it measures would itself be the attack (CVE-2026-34573): it gives up at the
 * nesting limit, and after as many selections as four for each field that may be asked for. Then `comparisons` is Infinity.
 */
export function measureDocument(
  document: DocumentNode,
  { maxTokens, maxNesting }: { maxTokens: number; maxNesting: number },
): DocumentSize {
  const fragments = fragmentsOf(document);
  const nesting = new FragmentNesting(fragments, maxNesting);
  const ruler = new Ruler(fragments, 4 * maxTokens);
  const operations = new Map<OperationDefinitionNode, Size>();
  for (const definition of document.definitions.filter(isOperation)) {
    // Without fragments the nesting of the text is all there is, and has been looked at.
    const depth = fragments.size === 0 ? 0 : nesting.of(definition.selectionSet);
    operations.set(definition, depth === Infinity ? ruler.giveUp() : ruler.measure([definition.selectionSet]));
  }
  // Fragments that no operation reaches make the document invalid, but not before they have been looked at.
  for (const [name, { selectionSet }] of fragments) {
    if (ruler.reached.has(name)) continue;
    if (nesting.of(selectionSet) === Infinity) ruler.giveUp();
    else ruler.measure([selectionSet]);
  }
  return { operations, comparisons: ruler.comparisons };
}

function isOperation(definition: DefinitionNode): definition is OperationDefinitionNode {
  return definition.kind === Kind.OPERATION_DEFINITION;
}

/** The fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(document.definitions.filter(isFragment).map((fragment) => [fragment.name.value, fragment]));
}

function isFragment(definition: DefinitionNode): definition is FragmentDefinitionNode {
  return definition.kind === Kind.FRAGMENT_DEFINITION;
}

const nothing: Size = { fields: 0, aliases: 0, depth: 0 };

class Ruler {
  readonly reached: Set<string> = new Set();
  comparisons = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The sizes measured so far: a fragment may stand in as many places as there are in the document. */
  readonly #known = new Map<string, { readonly size: Size; readonly comparisons: number }>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  #budget: number;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, budget: number) {
    this.#fragments = fragments;
    this.#budget = budget;
  }

  /** Selection sets that are merged into one. Calls itself for every level: their nesting must be known to have a limit. */
  measure(selectionSets: readonly SelectionSetNode[]): Size {
    // Without fragments none comes twice.
    const key = this.#fragments.size === 0 ? '' : this.#keyOf(selectionSets);
    const known = key === '' ? undefined : this.#known.get(key);
    if (known !== undefined) {
      this.comparisons += known.comparisons;
      return known.size;
    }
    const { comparisons } = this;
    let size = nothing;
    for (const fields of this.#fieldsIn(selectionSets).values()) size = sum(size, this.#measureField(fields));
    if (this.#budget < 0) return this.giveUp();
    if (key !== '') this.#known.set(key, { size, comparisons: this.comparisons - comparisons });
    return size;
  }

  /** The same for the same sets. */
  #keyOf(selectionSets: readonly SelectionSetNode[]): string {
    let key = '';
    for (const one of selectionSets) {
      let number = this.#numbers.get(one);
      if (number === undefined) this.#numbers.set(one, (number = this.#numbers.size));
      key += `${number} `;
    }
    return key;
  }

  giveUp(): Size {
    this.comparisons = Infinity;
    return { fields: Infinity, aliases: 0, depth: 0 };
  }

  /** The fields of one level by the name they have in the answer. A fragment that is spread several times there counts once. */
  #fieldsIn(selectionSets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const open = [...selectionSets];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      this.#budget -= one.selections.length;
      if (this.#budget < 0) return fields;
      for (const selection of one.selections) {
        if (selection.kind === Kind.FIELD) addTo(fields, selection);
        else if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet);
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          this.reached.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment !== undefined) open.push(fragment.selectionSet);
        }
      }
    }
    // graphql-js also compares each fragment with each other one, and looks up their fields, which takes a tenth of the time.
    this.comparisons += spread.size * (spread.size / 2 + fields.size / 20);
    return fields;
  }

  /** Fields of one name, which become one in the answer. */
  #measureField(fields: readonly FieldNode[]): Size {
    this.comparisons += (fields.length * (fields.length - 1)) / 2;
    const selectionSets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    const inner = selectionSets.length === 0 ? nothing : this.measure(selectionSets);
    const [{ name, alias } = fields[0]!] = fields;
    return {
      fields: inner.fields + 1,
      aliases: inner.aliases + (alias === undefined ? 0 : 1),
      depth: name.value.startsWith('__') ? 1 : inner.depth + 1,
    };
  }
}

function addTo(fields: Map<string, FieldNode[]>, field: FieldNode): void {
  const name = (field.alias ?? field.name).value;
  const present = fields.get(name);
  if (present === undefined) fields.set(name, [field]);
  else present.push(field);
}

/** A field beside others: amounts add up, the higher one counts. */
function sum(one: Size, other: Size): Size {
  return {
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    depth: Math.max(one.depth, other.depth),
  };
}

/**
 * How deep the braces of a selection set nest when its fragments are written out. Everything that walks a document calls
 * itself for every level, validators and executors alike, and 1,800 fragments that each spread the next one fit into
 * 15,000 tokens: enough to exhaust the stack of some. Circular fragments nest without end.
 */
class FragmentNesting {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #limit: number;
  readonly #known = new Map<string, number>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, limit: number) {
    this.#fragments = fragments;
    this.#limit = limit;
  }

  /** Infinity when it is more than the limit, where this function stops: it calls itself, too. Each fragment is walked once. */
  of(selectionSet: SelectionSetNode, level = 1): number {
    if (level > this.#limit) return Infinity;
    let deepest = 0;
    for (const selection of selectionSet.selections) deepest = Math.max(deepest, this.#within(selection, level + 1));
    return deepest + 1 > this.#limit ? Infinity : deepest + 1;
  }

  #within(selection: SelectionNode, level: number): number {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection.selectionSet === undefined ? 0 : this.of(selection.selectionSet, level);
    const name = selection.name.value;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    const nesting = fragment === undefined ? 0 : this.of(fragment.selectionSet, level);
    this.#known.set(name, nesting);
    return nesting;
  }
}
