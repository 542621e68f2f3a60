import { Kind } from 'graphql';
import type { DirectiveNode, SelectionNode } from 'graphql';

/** The values of the variables that decide, by `@skip` and `@include`, which fields there are. */
export type Conditions = ReadonlyMap<string, boolean>;

export function isCondition(directive: DirectiveNode): boolean {
  return directive.name.value === 'skip' || directive.name.value === 'include';
}

/** What a condition asks: a variable, a literal, or something that validation would have refused. */
export function subjectOf(
  directive: DirectiveNode,
): { readonly kind: 'literal' | 'unclear' } | { readonly kind: 'variable'; readonly name: string } {
  const value = directive.arguments?.length === 1 ? directive.arguments[0]!.value : undefined;
  if (value?.kind === Kind.VARIABLE) return { kind: 'variable', name: value.name.value };
  return { kind: value?.kind === Kind.BOOLEAN ? 'literal' : 'unclear' };
}

/** Whether a field or fragment takes part under these conditions. */
export function isIncluded({ directives }: SelectionNode, conditions: Conditions): boolean {
  if (directives === undefined || directives.length === 0) return true;
  return directives.every((directive) => !isCondition(directive) || holds(directive, conditions) === (directive.name.value === 'include'));
}

function holds(directive: DirectiveNode, conditions: Conditions): boolean {
  const value = directive.arguments?.[0]?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind === Kind.VARIABLE && conditions.get(value.name.value) === true;
}
