import { Kind } from 'graphql';
import type { DirectiveNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode, SelectionNode } from 'graphql';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The facts of an operation that must be known before it is planned. */
export interface Survey {
  /** The variables that decide which fields there are, in the order of the document. */
  readonly conditionVariables: readonly string[];
  /** The reason why graphql-js must run the operation; undefined when a plan can. */
  readonly obstacle: string | undefined;
}

/** Reads the operation once, each of its fragments once. */
export function surveyOperation(operation: OperationDefinitionNode, fragments: Fragments): Survey {
  const surveyor = new Surveyor(fragments);
  surveyor.visit(operation.selectionSet);
  return { conditionVariables: [...surveyor.variables], obstacle: surveyor.obstacle };
}

class Surveyor {
  readonly variables: Set<string> = new Set();
  obstacle: string | undefined = undefined;
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
    if (fragment === undefined) return;
    if ((fragment.variableDefinitions?.length ?? 0) > 0) this.obstacle = `The fragment ${name} has variables of its own.`;
    this.visit(fragment.selectionSet);
  }

  #visitDirectives(directives: readonly DirectiveNode[]): void {
    const seen = new Set<string>();
    for (const directive of directives) {
      const name = directive.name.value;
      if (!isCondition(directive)) continue;
      const subject = subjectOf(directive);
      if (subject.kind === 'unclear' || seen.has(name)) this.obstacle = `A condition of @${name} is not one value for "if".`;
      if (subject.kind === 'variable') this.variables.add(subject.name);
      seen.add(name);
    }
  }
}

/** The values of the variables that decide, by `@skip` and `@include`, which fields there are. */
export type Conditions = ReadonlyMap<string, boolean>;

function isCondition(directive: DirectiveNode): boolean {
  return directive.name.value === 'skip' || directive.name.value === 'include';
}

/** The subject of a condition: a variable, a literal, or a value that validation would have refused. */
function subjectOf(
  directive: DirectiveNode,
): { readonly kind: 'literal' | 'unclear' } | { readonly kind: 'variable'; readonly name: string } {
  const value = directive.arguments?.length === 1 ? directive.arguments[0]!.value : undefined;
  if (value?.kind === Kind.VARIABLE) return { kind: 'variable', name: value.name.value };
  return { kind: value?.kind === Kind.BOOLEAN ? 'literal' : 'unclear' };
}

/** True when a field or fragment takes part under these conditions. */
export function isIncluded({ directives }: SelectionNode, conditions: Conditions): boolean {
  if (directives === undefined || directives.length === 0) return true;
  return directives.every((directive) => !isCondition(directive) || holds(directive, conditions) === (directive.name.value === 'include'));
}

function holds(directive: DirectiveNode, conditions: Conditions): boolean {
  const value = directive.arguments?.[0]?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind === Kind.VARIABLE && conditions.get(value.name.value) === true;
}
