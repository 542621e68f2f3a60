import { getArgumentValues, GraphQLIncludeDirective, GraphQLSkipDirective, Kind } from 'graphql';
import type {
  DirectiveNode,
  FragmentDefinitionNode,
  GraphQLDirective,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The variables that decide which fields there are, in the order of the document. Reads the operation once, each of its fragments once. */
export function findConditionVariables(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] {
  const surveyor = new Surveyor(fragments);
  surveyor.visit(operation.selectionSet);
  return [...surveyor.variables];
}

class Surveyor {
  readonly variables: Set<string> = new Set();
  readonly #fragments: Fragments;
  readonly #visited = new Set<string>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  visit(selectionSet: SelectionSetNode): void {
    for (const selection of selectionSet.selections) {
      if (selection.directives !== undefined && selection.directives.length > 0) this.#visitDirectives(selection.directives);
      if (selection.kind === Kind.FRAGMENT_SPREAD) this.#visitFragment(selection.name.value);
      else if (selection.selectionSet !== undefined) this.visit(selection.selectionSet);
    }
  }

  #visitFragment(name: string): void {
    if (this.#visited.has(name)) return;
    this.#visited.add(name);
    const fragment = this.#fragments[name];
    if (fragment !== undefined) this.visit(fragment.selectionSet);
  }

  #visitDirectives(directives: readonly DirectiveNode[]): void {
    for (const directive of directives) {
      const value = isCondition(directive) ? subjectOf(directive) : undefined;
      if (value?.kind === Kind.VARIABLE) this.variables.add(value.name.value);
    }
  }
}

function isCondition(directive: DirectiveNode): boolean {
  return directive.name.value === 'skip' || directive.name.value === 'include';
}

/** The value that a condition depends on. Undefined: it has none, or more than validation lets pass. */
function subjectOf({ arguments: given }: DirectiveNode): ValueNode | undefined {
  return given?.length === 1 && given[0]!.name.value === 'if' ? given[0]!.value : undefined;
}

/** The values of the variables that decide, by `@skip` and `@include`, which fields there are. One that has none is not in it. */
export type Conditions = ReadonlyMap<string, unknown>;

/** The states of such a variable. Every value that is neither boolean nor null is like any other: schemas may have a `@skip` of their own. */
const states: Readonly<Record<string, unknown>> = { '1': true, '0': false, n: null, o: 'other' };

/** A letter for the state of a variable. */
export function stateOf(values: Readonly<Record<string, unknown>>, name: string): string {
  if (!Object.hasOwn(values, name)) return '-';
  const value = values[name];
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value === null || value === undefined ? 'n' : 'o';
}

/** What the letters stand for, one for each of the names. */
export function conditionsOf(names: readonly string[], letters: string): Conditions {
  const conditions = new Map<string, unknown>();
  for (const [at, name] of names.entries()) if (letters[at] !== '-') conditions.set(name, states[letters[at]!]);
  return conditions;
}

/**
 * True when a field or fragment takes part under these conditions. Throws graphql-js's error where one has no value: `null` for
 * `$on: Boolean = true` is the case that validation lets pass.
 */
export function isIncluded({ directives }: SelectionNode, conditions: Conditions): boolean {
  if (directives === undefined || directives.length === 0) return true;
  return (
    valueOf(GraphQLSkipDirective, directives, conditions) !== true && valueOf(GraphQLIncludeDirective, directives, conditions) !== false
  );
}

function valueOf(definition: GraphQLDirective, directives: readonly DirectiveNode[], conditions: Conditions): unknown {
  const directive = directives.find(({ name }) => name.value === definition.name);
  if (directive === undefined) return undefined;
  const value = subjectOf(directive);
  if (value?.kind === Kind.BOOLEAN) return value.value;
  const known = value?.kind === Kind.VARIABLE ? conditions.get(value.name.value) : undefined;
  if (known !== undefined && known !== null) return known;
  const coerced = Object.fromEntries(conditions);
  const values = (isGraphQL17 ? { sources: {}, coerced } : coerced) as unknown as Parameters<typeof getArgumentValues>[2];
  return getArgumentValues(definition, directive, values)['if'];
}
