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

/** `@defer` and `@stream` in one operation, with its fragments written out, as the variables of one request switch them on. */
export class IncrementalUsage {
  readonly document: DocumentNode;
  readonly directives: ActiveDirectives;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Of a field, the `@defer` that it stands in; undefined among them: it also stands in none. The innermost ones only. */
  readonly defersAround: ReadonlyMap<FieldNode, ReadonlySet<DirectiveNode | undefined>>;
  /** How many of the directives are active. */
  readonly count: number;
  /** True when the operation has too many selections or directives to be answered in parts. Then not all of it has been looked at. */
  readonly isTooMuch: boolean;

  constructor({ document, operation, variables }: Pick<Execution, 'document' | 'operation' | 'variables'>, maxDirectives: number) {
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
 * graphql-js takes a microsecond for each field of each object, four times as long as a plan. So what a client can write to make it
 * do more has a limit: selections with fragments written out. An interface of some hundreds is answered in parts.
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

/** The fragments that have been spread into one object. As graphql-js does, a fragment is looked at once for each `@defer` around it. */
export class Spreads {
  readonly #seen = new Map<string, Set<DirectiveNode | undefined>>();

  /** Undefined for a fragment whose fields are there already. */
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

/** The directives of a document whose arguments may be variables, with the values that one request gives those. */
export class ActiveDirectives {
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor(operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> | undefined) {
    this.#operation = operation;
    this.#variables = variables ?? {};
  }

  /** False for a selection that `@skip` or `@include` leave out. */
  include(selection: SelectionNode): boolean {
    if (selection.directives === undefined || selection.directives.length === 0) return true;
    const [skip, include] = [find(selection, 'skip'), find(selection, 'include')];
    return (
      !(skip !== undefined && this.#argument(skip, 'if') === true) && !(include !== undefined && this.#argument(include, 'if') === false)
    );
  }

  /** Undefined where there is none, or its `if` is false. */
  active(selection: SelectionNode, name: 'defer' | 'stream'): DirectiveNode | undefined {
    const directive = find(selection, name);
    return directive === undefined || this.#argument(directive, 'if') === false ? undefined : directive;
  }

  /** The items of a streamed list that belong to its first part. */
  initialCount(stream: DirectiveNode): number {
    const count = this.#argument(stream, 'initialCount');
    return typeof count === 'number' ? count : 0;
  }

  /** A boolean or a number. Values of another type are refused before anything runs. */
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
