import { Kind } from 'graphql';
import type {
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  FragmentSpreadNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

import type { Execution } from '../execute.ts';
import { fragmentsOf } from '../limits/document-size.ts';

/** The active uses of `@defer` and `@stream` in one operation with its fragments expanded, for the variables of one request. */
export class IncrementalUsage {
  readonly document: DocumentNode;
  readonly directives: ActiveDirectives;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The innermost `@defer` directives around each field. Contains undefined if the field is also selected outside of any. */
  readonly defersAround: ReadonlyMap<FieldNode, ReadonlySet<DirectiveNode | undefined>>;
  /** The number of active directives. */
  readonly count: number;
  /** True when the operation has too many selections or directives to be answered in parts. Then it has not been read to the end. */
  readonly isTooMuch: boolean;

  constructor(
    { document, operation, variableValues: variables }: Pick<Execution, 'document' | 'operation' | 'variableValues'>,
    maxDirectives: number,
  ) {
    this.document = document;
    this.directives = new ActiveDirectives(operation, variables);
    this.fragments = fragmentsOf(document);
    const survey = new Survey(this.directives, this.fragments, maxDirectives);
    survey.look(operation.selectionSet, undefined, new Spreads());
    this.defersAround = survey.defersAround;
    this.count = survey.count;
    this.isTooMuch = survey.isOver;
  }
}

/**
 * Maximum number of selections, with fragments expanded, of an operation that is answered in parts: graphql-js takes a microsecond for
 * each field of each object, four times as long as a plan. The operations of a user interface have some hundreds.
 */
const maxSelections = 1_000;

class Survey {
  readonly defersAround = new Map<FieldNode, Set<DirectiveNode | undefined>>();
  count = 0;
  readonly #directives: ActiveDirectives;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #maxDirectives: number;
  #selections = 0;

  constructor(directives: ActiveDirectives, fragments: ReadonlyMap<string, FragmentDefinitionNode>, maxDirectives: number) {
    this.#directives = directives;
    this.#fragments = fragments;
    this.#maxDirectives = maxDirectives;
  }

  get isOver(): boolean {
    return this.#selections > maxSelections || this.count > this.#maxDirectives;
  }

  look({ selections }: SelectionSetNode, around: DirectiveNode | undefined, spreads: Spreads): void {
    for (const selection of selections) {
      if (this.isOver) return;
      if (!this.#directives.include(selection)) continue;
      this.#selections++;
      if (selection.kind === Kind.FIELD) this.#lookAtField(selection, around);
      else this.#lookAtFragment(selection, around, spreads);
    }
  }

  #lookAtField(field: FieldNode, around: DirectiveNode | undefined): void {
    const known = this.defersAround.get(field);
    if (known === undefined) this.defersAround.set(field, new Set([around]));
    else known.add(around);
    if (this.#directives.active(field, 'stream') !== undefined) this.count++;
    if (field.selectionSet !== undefined) this.look(field.selectionSet, around, new Spreads());
  }

  #lookAtFragment(selection: Exclude<SelectionNode, FieldNode>, around: DirectiveNode | undefined, spreads: Spreads): void {
    const defer = this.#directives.active(selection, 'defer');
    const selectionSet = spreads.selectionSetOf(selection, { fragments: this.#fragments, around: defer ?? around });
    if (selectionSet === undefined) return;
    if (defer !== undefined) this.count++;
    this.look(selectionSet, defer ?? around, spreads);
  }
}

/** The fragments that have been spread into one object. As in graphql-js, a fragment counts once for each `@defer` around it. */
export class Spreads {
  readonly #seen = new Map<string, Set<DirectiveNode | undefined>>();

  /** Undefined for a fragment whose fields have been collected already. */
  selectionSetOf(
    selection: Exclude<SelectionNode, FieldNode>,
    place: { readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>; readonly around: DirectiveNode | undefined },
  ): SelectionSetNode | undefined {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
    return this.#isNew(selection, place.around) ? place.fragments.get(selection.name.value)?.selectionSet : undefined;
  }

  #isNew({ name }: FragmentSpreadNode, around: DirectiveNode | undefined): boolean {
    const seen = this.#seen.get(name.value);
    if (seen === undefined) this.#seen.set(name.value, new Set([around]));
    else if (seen.has(undefined) || seen.has(around)) return false;
    else seen.add(around);
    return true;
  }
}

/** Evaluates directives with the variables of one request. */
export class ActiveDirectives {
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor(operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> | undefined) {
    this.#operation = operation;
    this.#variables = variables ?? {};
  }

  /** False for a selection that `@skip` or `@include` excludes. */
  include(selection: SelectionNode): boolean {
    if (selection.directives === undefined || selection.directives.length === 0) return true;
    const [skip, include] = [find(selection, 'skip'), find(selection, 'include')];
    return (
      !(skip !== undefined && this.#argument(skip, 'if') === true) && !(include !== undefined && this.#argument(include, 'if') === false)
    );
  }

  /** The directive; undefined if there is none, or its `if` is false. */
  active(selection: SelectionNode, name: 'defer' | 'stream'): DirectiveNode | undefined {
    const directive = find(selection, name);
    return directive === undefined || this.#argument(directive, 'if') === false ? undefined : directive;
  }

  /** The number of items in the first part of a streamed list. */
  initialCount(stream: DirectiveNode): number {
    const count = this.#argument(stream, 'initialCount');
    return typeof count === 'number' ? count : 0;
  }

  /** A boolean or a number: validation and coercion reject values of other types. */
  #argument(directive: DirectiveNode, name: string): unknown {
    const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return literal(value);
    const variable = value.name.value;
    if (Object.hasOwn(this.#variables, variable)) return this.#variables[variable];
    return literal(this.#operation.variableDefinitions?.find((one) => one.variable.name.value === variable)?.defaultValue);
  }
}

function find({ directives }: SelectionNode, name: string): DirectiveNode | undefined {
  return directives?.find((directive) => directive.name.value === name);
}

function literal(value: { readonly kind: string; readonly value?: unknown } | undefined): unknown {
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
