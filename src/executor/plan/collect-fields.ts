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
  const collector = new Collector(settings, type);
  for (const { selectionSet } of nodes) if (selectionSet !== undefined) collector.visit(selectionSet);
  return [...collector.planned.values()];
}

/** A field, or the operation. */
type SelectingNode = Pick<FieldNode, 'selectionSet'>;

class Collector {
  /** The planned fields by response name. */
  readonly planned: Map<string, PlannedField> = new Map();
  readonly #settings: CollectSettings;
  readonly #type: GraphQLObjectType;
  #visitedFragments: Set<string> | undefined = undefined;

  constructor(settings: CollectSettings, type: GraphQLObjectType) {
    this.#settings = settings;
    this.#type = type;
  }

  visit({ selections }: SelectionSetNode): void {
    const { conditions, fragments } = this.#settings;
    for (const selection of selections) {
      if (!isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        this.#add(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (this.#applies(selection.typeCondition)) this.visit(selection.selectionSet);
      } else if (this.#visitedFragments?.has(selection.name.value) !== true) {
        (this.#visitedFragments ??= new Set()).add(selection.name.value);
        const fragment = fragments[selection.name.value];
        if (fragment !== undefined && this.#applies(fragment.typeCondition)) this.visit(fragment.selectionSet);
      }
    }
  }

  #add(node: FieldNode): void {
    const responseName = (node.alias ?? node.name).value;
    const known = this.planned.get(responseName);
    if (known !== undefined) {
      known.nodes.push(node);
      return;
    }
    const field = planField(this.#settings, this.#type, { responseName, node });
    if (field !== undefined) this.planned.set(responseName, field);
  }

  #applies(condition: NamedTypeNode | undefined): boolean {
    return appliesTo(this.#settings.schema, condition, this.#type);
  }
}

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

function shapeOf(type: GraphQLOutputType): Shape {
  return isNonNullType(type) ? shapeOfNullable(type.ofType, true) : shapeOfNullable(type, false);
}

function shapeOfNullable(type: GraphQLOutputType, nonNull: boolean): Shape {
  if (isListType(type)) return new ListShape(shapeOf(type.ofType), nonNull);
  if (isLeafType(type)) return leafShapeOf(type, nonNull);
  if (isAbstractType(type)) return new AbstractShape(type, nonNull);
  return new ObjectShape(type as GraphQLObjectType, nonNull);
}
