import { GraphQLIncludeDirective, GraphQLSkipDirective, Kind } from 'graphql';
import type {
  DirectiveNode,
  FragmentDefinitionNode,
  GraphQLDirective,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';

import { getArgumentValues, isGraphQL17 } from '../graphql-version.ts';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The variables in conditions of `@skip` and `@include`, in the order of the document. */
export function findConditionVariables(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] {
  const variables = new Set<string>();
  visitSelections(operation, fragments, ({ directives = [] }) => {
    for (const directive of directives) {
      const value = isCondition(directive) ? subjectOf(directive) : undefined;
      if (value?.kind === Kind.VARIABLE) variables.add(value.name.value);
    }
  });
  return [...variables];
}

/** Calls a function with each selection of an operation, in the order of the document. Visits the selections of a fragment once. */
export function visitSelections(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  onSelection: (selection: SelectionNode) => void,
): void {
  const visited = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      onSelection(selection);
      let { selectionSet } = selection as { selectionSet?: SelectionSetNode | undefined };
      if (selection.kind === Kind.FRAGMENT_SPREAD && !visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        selectionSet = fragments[selection.name.value]?.selectionSet;
      }
      if (selectionSet !== undefined) visit(selectionSet);
    }
  };
  visit(operation.selectionSet);
}

function isCondition(directive: DirectiveNode): boolean {
  return directive.name.value === 'skip' || directive.name.value === 'include';
}

/** The value of a condition. Undefined: the directive is not valid. */
function subjectOf({ arguments: given }: DirectiveNode): ValueNode | undefined {
  const condition = given?.filter(({ name }) => name.value === 'if') ?? [];
  return condition.length === 1 ? condition[0]!.value : undefined;
}

/** The values of the condition variables; those without a value are missing. */
export type Conditions = ReadonlyMap<string, unknown>;

/** The states of a condition variable. Values other than boolean and null are possible, because a schema may redefine `@skip`. */
const states: Readonly<Record<string, unknown>> = { '1': true, '0': false, n: null, o: 'other' };

export function stateOf(values: Readonly<Record<string, unknown>>, name: string): string {
  if (!Object.hasOwn(values, name)) return '-';
  const value = values[name];
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value === null || value === undefined ? 'n' : 'o';
}

/** Returns the values for these states, which have one letter for each name. */
export function conditionsOf(names: readonly string[], letters: string): Conditions {
  const conditions = new Map<string, unknown>();
  for (const [at, name] of names.entries()) if (letters[at] !== '-') conditions.set(name, states[letters[at]!]);
  return conditions;
}

/** False if `@skip` or `@include` leaves the selection out. Throws graphql-js's error if a condition is null: `null` for `$on: Boolean = true` passes validation. */
export function isIncluded({ directives }: SelectionNode, conditions: Conditions): boolean {
  if (directives === undefined || directives.length === 0) return true;
  return (
    valueOf(GraphQLSkipDirective, directives, conditions) !== true && valueOf(GraphQLIncludeDirective, directives, conditions) !== false
  );
}

function valueOf(definition: GraphQLDirective, directives: readonly DirectiveNode[], conditions: Conditions): unknown {
  const directive = directives.find(({ name }) => name.value === definition.name);
  return directive === undefined ? undefined : conditionArgument(definition, directive, conditions);
}

/** The value of a directive's argument `if`. */
function conditionArgument(definition: GraphQLDirective, directive: DirectiveNode, conditions: Conditions): unknown {
  const value = subjectOf(directive);
  if (value?.kind === Kind.BOOLEAN) return value.value;
  const known = value?.kind === Kind.VARIABLE ? conditions.get(value.name.value) : undefined;
  if (known !== undefined && known !== null) return known;
  const coerced = Object.fromEntries(conditions);
  const values = (isGraphQL17 ? { sources: {}, coerced } : coerced) as unknown as Parameters<typeof getArgumentValues>[2];
  return getArgumentValues(definition, directive, values)['if'];
}
