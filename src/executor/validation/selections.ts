import {
  getNamedType,
  GraphQLBoolean,
  GraphQLIncludeDirective,
  GraphQLNonNull,
  GraphQLSkipDirective,
  isCompositeType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
} from 'graphql';
import type {
  ArgumentNode,
  DirectiveNode,
  FieldNode,
  FragmentSpreadNode,
  GraphQLArgument,
  GraphQLCompositeType,
  InlineFragmentNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

import type { Scope } from './scope.ts';
import { isValueKnownValid } from './values.ts';

/** True if all fields, arguments, fragments and directives of the selection set are valid. */
export function isSelectionSetKnownValid(scope: Scope, type: GraphQLCompositeType, { selections }: SelectionSetNode): boolean {
  for (let at = 0; at < selections.length; at++) if (!isSelectionKnownValid(scope, type, selections[at]!)) return false;
  return selections.length > 0;
}

function isSelectionKnownValid(scope: Scope, type: GraphQLCompositeType, selection: SelectionNode): boolean {
  if (!scope.hasStepsLeft() || !areDirectivesKnownValid(scope, selection.directives)) return false;
  if (selection.kind === Kind.FIELD) return isFieldKnownValid(scope, type, selection);
  if (selection.kind === Kind.INLINE_FRAGMENT) return isInlineFragmentKnownValid(scope, type, selection);
  return isSpreadKnownValid(scope, type, selection);
}

function isFieldKnownValid(scope: Scope, type: GraphQLCompositeType, node: FieldNode): boolean {
  const field = scope.field(type, node.name.value);
  if (field === undefined || !areArgumentsKnownValid(scope, field.args, node.arguments ?? none)) return false;
  const named = getNamedType(field.type);
  if (isLeafType(named)) return node.selectionSet === undefined;
  // Fields with introspection types are left to graphql-js.
  if (node.selectionSet === undefined || (named.name.startsWith('__') && isIntrospectionType(named))) return false;
  return isSelectionSetKnownValid(scope, named, node.selectionSet);
}

function isInlineFragmentKnownValid(scope: Scope, type: GraphQLCompositeType, node: InlineFragmentNode): boolean {
  if (node.typeCondition === undefined) return isSelectionSetKnownValid(scope, type, node.selectionSet);
  const condition = scope.schema.getType(node.typeCondition.name.value);
  if (!isCompositeType(condition) || !canOverlap(scope, type, condition)) return false;
  return isSelectionSetKnownValid(scope, condition, node.selectionSet);
}

/** The selection of a fragment is checked once per operation, because its variables are those of the operation. */
function isSpreadKnownValid(scope: Scope, type: GraphQLCompositeType, node: FragmentSpreadNode): boolean {
  const name = node.name.value;
  const fragment = scope.fragments.get(name);
  if (fragment === undefined || scope.openFragments.has(name) || (node.arguments?.length ?? 0) > 0) return false;
  if (!canOverlap(scope, type, fragment.type)) return false;
  if (scope.seenFragments.has(name)) return true;

  scope.seenFragments.add(name);
  scope.openFragments.add(name);
  fragment.isUsed = true;
  const isValid = isSelectionSetKnownValid(scope, fragment.type, fragment.selectionSet);
  scope.openFragments.delete(name);
  return isValid;
}

/** True if an object can have both types. */
function canOverlap({ schema }: Scope, type: GraphQLCompositeType, condition: GraphQLCompositeType): boolean {
  if (type === condition) return true;
  if (isObjectType(type)) return !isObjectType(condition) && schema.isSubType(condition, type);
  if (isObjectType(condition)) return schema.isSubType(type, condition);
  return schema.getPossibleTypes(type).some((possible) => schema.isSubType(condition, possible));
}

/** True if every argument is known, valid and unique, and none is missing. */
function areArgumentsKnownValid(scope: Scope, definitions: readonly GraphQLArgument[], nodes: readonly ArgumentNode[]): boolean {
  let known = 0;
  for (let at = 0; at < definitions.length; at++) {
    const definition = definitions[at]!;
    const given = onlyNamed(definition.name, nodes);
    if (given === undefined) {
      if (isRequiredArgument(definition)) return false;
    } else {
      if (given === null || !isValueKnownValid(scope, definition.type, given.value)) return false;
      known++;
    }
  }
  return known === nodes.length;
}

/** Returns the only argument of this name; null if there are several. */
function onlyNamed(name: string, nodes: readonly ArgumentNode[]): ArgumentNode | null | undefined {
  let found: ArgumentNode | undefined;
  for (let at = 0; at < nodes.length; at++) {
    if (nodes[at]!.name.value !== name) continue;
    if (found !== undefined) return null;
    found = nodes[at];
  }
  return found;
}

const none: readonly ArgumentNode[] = [];

const conditionType = new GraphQLNonNull(GraphQLBoolean);

/** True if the only directives are `@skip` and `@include` as graphql-js defines them, each at most once. */
function areDirectivesKnownValid(scope: Scope, directives: readonly DirectiveNode[] | undefined): boolean {
  if (directives === undefined || directives.length === 0) return true;
  if (directives.length === 1) return isDirectiveKnownValid(scope, directives[0]!);
  const names = new Set(directives.map((directive) => directive.name.value));
  return names.size === directives.length && directives.every((directive) => isDirectiveKnownValid(scope, directive));
}

function isDirectiveKnownValid(scope: Scope, directive: DirectiveNode): boolean {
  const name = directive.name.value;
  const definition = name === 'skip' ? GraphQLSkipDirective : name === 'include' ? GraphQLIncludeDirective : undefined;
  if (definition === undefined || scope.schema.getDirective(name) !== definition) return false;
  const [condition] = directive.arguments ?? [];
  if (condition === undefined || directive.arguments?.length !== 1 || condition.name.value !== 'if') return false;
  return isValueKnownValid(scope, conditionType, condition.value);
}
