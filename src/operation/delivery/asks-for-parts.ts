import { Kind, visit } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';

import { isPartDirective } from '../../execution/graphql-js/in-one-part.ts';
import { createError } from '../errors.ts';
import { fragmentsOf } from '../limits/document-size.ts';
import { maxNameLength } from '../limits/nesting.ts';

/** By operation, which lives as long as its document. */
const answers = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether an operation has `@defer` or `@stream` in it, in its fragments too. What their `if` comes to is another matter. */
export function asksForParts(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const known = answers.get(operation);
  if (known !== undefined) return known;
  const answer = hasParts(operation.selectionSet, fragmentsOf(document), new Set());
  if (answer) assertLabels(document);
  answers.set(operation, answer);
  return answer;
}

/** Each part repeats its label: one of 100 KB in a list made 50 MB. */
function assertLabels(document: DocumentNode): void {
  visit(document, {
    Directive({ name, arguments: given }) {
      const label = isPartDirective(name.value) ? given?.find((argument) => argument.name.value === 'label')?.value : undefined;
      if (label?.kind !== Kind.STRING || label.value.length <= maxNameLength) return;
      throw createError(
        'GRAPHQL_VALIDATION_FAILED',
        `Expected labels of @${name.value} of at most ${maxNameLength} characters, got one of ${label.value.length}.`,
      );
    },
  });
}

function hasParts({ selections }: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>, visited: Set<string>): boolean {
  return selections.some((selection) => {
    if (selection.directives?.some(({ name }) => isPartDirective(name.value))) return true;
    if (selection.kind !== Kind.FRAGMENT_SPREAD)
      return selection.selectionSet !== undefined && hasParts(selection.selectionSet, fragments, visited);
    const fragment = visited.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
    visited.add(selection.name.value);
    return fragment !== undefined && hasParts(fragment.selectionSet, fragments, visited);
  });
}
