import { Kind } from 'graphql';
import type { DirectiveNode, FieldNode, OperationDefinitionNode, SelectionNode } from 'graphql';

import { visitSelections } from '../plan/conditions.ts';
import type { Conditions, Fragments } from '../plan/conditions.ts';

/** One `@defer` of a selection set. A field belongs to the innermost `@defer` around it. */
export interface DeferUsage {
  /** Unique in the process, to compare sets of them. */
  readonly id: number;
  readonly label: string | undefined;
  /** The `@defer` around this one in the same or an outer object. */
  readonly parent: DeferUsage | undefined;
  readonly directive: DirectiveNode;
}

let usages = 0;

/** Reads `@defer` of a fragment. Returns undefined if the fragment is not deferred. */
export function deferUsageOf(selection: SelectionNode, parent: DeferUsage | undefined, conditions: Conditions): DeferUsage | undefined {
  const directive = find(selection, 'defer');
  if (directive === undefined || isOff(directive, conditions)) return undefined;
  return { id: usages++, label: labelOf(directive), parent, directive };
}

/** A `@stream` of a field. */
export interface StreamUsage {
  readonly label: string | undefined;
  readonly directive: DirectiveNode;
}

/** Reads `@stream` of a field. Returns undefined if the field is not streamed. */
export function streamUsageOf(node: FieldNode, conditions: Conditions): StreamUsage | undefined {
  const directive = find(node, 'stream');
  if (directive === undefined || isOff(directive, conditions)) return undefined;
  return { label: labelOf(directive), directive };
}

/** Finds the variables that turn the directives of an operation on and off. Returns null if the operation has no such directives. */
export function findPartVariables(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] | null {
  const variables = new Set<string>();
  let isUsed = false;
  visitSelections(operation, fragments, (selection) => {
    const directive = find(selection, selection.kind === Kind.FIELD ? 'stream' : 'defer');
    if (directive === undefined) return;
    isUsed = true;
    const condition = valueOf(directive, 'if');
    if (condition?.kind === Kind.VARIABLE) variables.add(condition.name.value);
  });
  return isUsed ? [...variables] : null;
}

/** True for `if: false`. An `if` that is null counts as absent, like the other arguments. */
function isOff(directive: DirectiveNode, conditions: Conditions): boolean {
  const value = valueOf(directive, 'if');
  return value?.kind === Kind.VARIABLE ? conditions.get(value.name.value) === false : value?.kind === Kind.BOOLEAN && !value.value;
}

function find({ directives }: SelectionNode, name: 'defer' | 'stream'): DirectiveNode | undefined {
  return directives?.find((directive) => directive.name.value === name);
}

function valueOf({ arguments: given }: DirectiveNode, name: string): NonNullable<DirectiveNode['arguments']>[number]['value'] | undefined {
  return given?.find((argument) => argument.name.value === name)?.value;
}

/** A validation rule requires a string literal. */
function labelOf(directive: DirectiveNode): string | undefined {
  const label = valueOf(directive, 'label');
  return label?.kind === Kind.STRING ? label.value : undefined;
}
