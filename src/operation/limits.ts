import { GraphQLError, Kind } from 'graphql';
import type { DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';

import { DocumentError } from './errors.ts';

/** How much a document may ask for once its fragments are written out. */
export interface LimitSettings {
  /** Levels of fields. Undefined: as many as `maxNesting` allows. */
  readonly maxDepth: number | undefined;
  /** Aliased fields. Undefined: any number. */
  readonly maxAliases: number | undefined;
  /** Lexical tokens of the text; also fields, because fragments make many out of few tokens. */
  readonly maxTokens: number;
  /** How deep braces, brackets and parentheses may nest. */
  readonly maxNesting: number;
}

/**
 * Throws what is too much about a valid document, else returns the number of its fields; 0 when nothing had to be counted.
 *
 * The attack: a fragment of two fields that both spread the next fragment, twenty times over, is a document of 400
 * tokens that asks for a million fields. Unlimited, it took 3.4 s of CPU and 740 MB (bench/hostile.ts). And a limit that
 * walked the fragments as the executor does would itself take that long (CVE-2026-34573): every selection set is measured
 * once here, within a budget. Nobody pays for it who has set no limit and sends no fragments.
 */
export function assertLimits(settings: LimitSettings, document: DocumentNode): number {
  const { maxDepth, maxAliases } = settings;
  const hasFragments = document.definitions.some((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  if (!hasFragments && maxDepth === undefined && maxAliases === undefined) return 0;

  const ruler = new Ruler(document, settings);
  const problems: GraphQLError[] = [];
  let fields = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = ruler.measure(definition.selectionSet, 1);
    fields = Math.max(fields, size.fields);
    problems.push(...problemsOf(settings, definition, size));
  }
  if (problems.length > 0) throw new DocumentError(problems);
  return fields;
}

function problemsOf(settings: LimitSettings, operation: OperationDefinitionNode, size: Size): GraphQLError[] {
  const { maxNesting, maxTokens, maxDepth = Infinity, maxAliases = Infinity } = settings;
  const problems: string[] = [];
  if (size.nesting > maxNesting) problems.push(`to nest at most ${maxNesting} levels deep when its fragments are written out, got more`);
  if (size.fields > maxTokens) problems.push(`to have at most ${maxTokens} fields when its fragments are written out, got more`);
  if (size.depth > maxDepth) problems.push(`to have at most ${maxDepth} levels of fields, got ${shown(size.depth)}`);
  if (size.aliases > maxAliases) problems.push(`to have at most ${maxAliases} aliases, got ${shown(size.aliases)}`);
  return problems.map((problem) => tooMuch(`Expected the operation ${problem}.`, operation));
}

/** The error of an operation that asks for too much. */
export function tooMuch(message: string, operation: OperationDefinitionNode): GraphQLError {
  return new GraphQLError(message, { nodes: operation, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}

/** A number for a message: fragments can make it astronomical. */
export function shown(amount: number): string {
  return amount < 1e9 ? String(amount) : 'more than a billion';
}

/** Sums and heights of a selection set, its fragments written out. */
interface Size {
  readonly fields: number;
  readonly aliases: number;
  /** Levels of fields. What describes the schema counts as one: it is as deep as graphql-js allows, and no data hangs on it. */
  readonly depth: number;
  /** Levels of all fields. */
  readonly nesting: number;
}

const nothing: Size = { fields: 0, aliases: 0, depth: 0, nesting: 0 };
const tooLarge: Size = { fields: Infinity, aliases: 0, depth: 0, nesting: 0 };
const tooDeep: Size = { fields: 0, aliases: 0, depth: 0, nesting: Infinity };

class Ruler {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #measured = new Map<SelectionSetNode, Size>();
  readonly #maxNesting: number;
  /** Selections that may still be looked at. An operation that is small enough never needs so many. */
  #budget: number;

  constructor(document: DocumentNode, { maxNesting, maxTokens }: LimitSettings) {
    this.#fragments = fragmentsOf(document);
    this.#maxNesting = maxNesting;
    this.#budget = 4 * maxTokens;
  }

  /** Each selection set once. Stops at the nesting limit, for it calls itself, and fragments can nest a thousand levels deep. */
  measure(selectionSet: SelectionSetNode, level: number): Size {
    if (level > this.#maxNesting) return tooDeep;
    const known = this.#measured.get(selectionSet);
    if (known !== undefined) return known;
    let size = nothing;
    for (const field of this.#fieldsIn(selectionSet)) size = sum(size, this.#measureField(field, level));
    if (this.#budget < 0) return tooLarge;
    this.#measured.set(selectionSet, size);
    return size;
  }

  /** The fields of one level, as the executor collects them: a fragment that is spread several times there counts once. */
  *#fieldsIn(selectionSet: SelectionSetNode): Generator<FieldNode> {
    const spread = new Set<string>();
    const open = [selectionSet];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      this.#budget -= one.selections.length;
      if (this.#budget < 0) return;
      for (const selection of one.selections) {
        if (selection.kind === Kind.FIELD) yield selection;
        else if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet);
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment !== undefined) open.push(fragment.selectionSet);
        }
      }
    }
  }

  #measureField({ alias, name, selectionSet }: FieldNode, level: number): Size {
    const inner = selectionSet === undefined ? nothing : this.measure(selectionSet, level + 1);
    return {
      fields: inner.fields + 1,
      aliases: inner.aliases + (alias === undefined ? 0 : 1),
      depth: name.value.startsWith('__') ? 1 : inner.depth + 1,
      nesting: inner.nesting + 1,
    };
  }
}

/** A selection beside others: amounts add up, the higher one counts. */
function sum(one: Size, other: Size): Size {
  return {
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    depth: Math.max(one.depth, other.depth),
    nesting: Math.max(one.nesting, other.nesting),
  };
}

/** The fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}
