import {
  isAbstractType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  NamedTypeNode,
  SelectionSetNode,
  GraphQLOutputType,
} from 'graphql';

import { PlannedArguments } from './arguments.ts';
import type { PageDefaults } from './arguments.ts';
import { isIncluded } from './conditions.ts';
import type { Conditions, Fragments } from './conditions.ts';
import { PlannedField } from './planned-field.ts';
import type { CollectFields, Shape } from './planned-field.ts';
import { AbstractShape } from '../run/shapes/abstract-types.ts';
import { leafShapeOf } from '../run/shapes/leaf.ts';
import { ListShape } from '../run/shapes/lists.ts';
import { ObjectShape } from '../run/shapes/objects.ts';

export interface CollectSettings {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly conditions: Conditions;
  readonly pageDefaults: PageDefaults | undefined;
  /** Collects the fields below, when first needed. */
  readonly collect: CollectFields;
}

/** The fields of some selection sets for an object of a type (specification, section 6.3.2, CollectFields). */
export function collectFields(settings: CollectSettings, type: GraphQLObjectType, nodes: readonly SelectingNode[]): PlannedField[] {
  const { schema, fragments, conditions } = settings;
  const planned = new Map<string, PlannedField>();
  const visited = new Set<string>();
  const add = (node: FieldNode): void => {
    const responseName = (node.alias ?? node.name).value;
    const known = planned.get(responseName);
    const field = known ?? planField(settings, type, { responseName, node });
    if (known !== undefined) known.nodes.push(node);
    else if (field !== undefined) planned.set(responseName, field);
  };
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        add(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(schema, selection.typeCondition, type)) visit(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments[selection.name.value];
        if (fragment !== undefined && appliesTo(schema, fragment.typeCondition, type)) visit(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet !== undefined) visit(selectionSet);
  return [...planned.values()];
}

/** A field, or the operation. */
type SelectingNode = Pick<FieldNode, 'selectionSet'>;

/** Plans a field of a type. Undefined if the type has no such field: graphql-js skips it. */
export function planField(settings: CollectSettings, type: GraphQLObjectType, { responseName, node }: NamedNode): PlannedField | undefined {
  const definition = fieldDefinition(settings.schema, type, node.name.value);
  if (definition === undefined) return undefined;
  return new PlannedField({
    responseName,
    node,
    definition,
    parentType: type,
    shape: shapeOf(definition.type),
    arguments:
      definition.args.length === 0
        ? undefined
        : new PlannedArguments(definition, node, settings.pageDefaults?.defaultFor(type, definition)),
    collect: settings.collect,
  });
}

interface NamedNode {
  readonly responseName: string;
  readonly node: FieldNode;
}

/** True if a fragment with this type condition applies to objects of the type. */
export function appliesTo(schema: GraphQLSchema, condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined) return true;
  const conditionType = schema.getType(condition.name.value);
  return conditionType === type || (isAbstractType(conditionType) && schema.isSubType(conditionType, type));
}

/** A meta field or a field of the type. Only graphql 17 has a method for this. */
function fieldDefinition(schema: GraphQLSchema, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (name === SchemaMetaFieldDef.name && schema.getQueryType() === type) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name && schema.getQueryType() === type) return TypeMetaFieldDef;
  return type.getFields()[name];
}

function shapeOf(type: GraphQLOutputType, nonNull = false): Shape {
  if (isNonNullType(type)) return shapeOf(type.ofType, true);
  if (isListType(type)) return new ListShape(shapeOf(type.ofType), nonNull);
  if (isLeafType(type)) return leafShapeOf(type, nonNull);
  if (isAbstractType(type)) return new AbstractShape(type, nonNull);
  return new ObjectShape(type, nonNull);
}
