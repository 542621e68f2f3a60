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

import { planArguments } from './arguments.ts';
import { isIncluded } from './survey.ts';
import type { Conditions, Fragments } from './survey.ts';
import { PlannedField } from './planned-field.ts';
import type { CollectFields, Shape } from './planned-field.ts';
import { AbstractShape } from '../complete/abstract-types.ts';
import { leafShapeOf } from '../complete/leaf.ts';
import { ListShape } from '../complete/lists.ts';
import { ObjectShape } from '../complete/objects.ts';

/** The settings of collecting, beside the type and the nodes. */
export interface CollectSettings {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly conditions: Conditions;
  /** Collects below the fields, when they are first run. */
  readonly collect: CollectFields;
}

/**
 * The fields that some selection sets ask of an object of a type (specification, section 6.3.2, CollectFields):
 * fragments are dissolved, conditions decided, fields of the same name in the response merged.
 */
export function collectFields(settings: CollectSettings, type: GraphQLObjectType, nodes: readonly SelectingNode[]): PlannedField[] {
  const collector = new Collector(settings, type);
  // By index, here and below: a document that runs once does this for each of its objects.
  for (let at = 0; at < nodes.length; at++) {
    const { selectionSet } = nodes[at]!;
    if (selectionSet !== undefined) collector.visit(selectionSet);
  }
  return collector.planned;
}

/** A field, or the operation. */
type SelectingNode = Pick<FieldNode, 'selectionSet'>;

class Collector {
  /** In the order of the response. */
  readonly planned: PlannedField[] = [];
  /** By response name, where there are so many that a look at each takes longer than the making of a map. */
  #byName: Map<string, PlannedField> | undefined = undefined;
  readonly #settings: CollectSettings;
  readonly #type: GraphQLObjectType;
  // Made for the first fragment: a document that runs once makes a collector for each of its objects.
  #visitedFragments: Set<string> | undefined = undefined;

  constructor(settings: CollectSettings, type: GraphQLObjectType) {
    this.#settings = settings;
    this.#type = type;
  }

  visit({ selections }: SelectionSetNode): void {
    const { conditions, fragments } = this.#settings;
    for (let at = 0; at < selections.length; at++) {
      const selection = selections[at]!;
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
    const known = this.#find(responseName);
    if (known !== undefined) {
      known.nodes.push(node);
      return;
    }
    // A field that the type does not have: graphql-js leaves it out.
    const field = this.#plan(responseName, node);
    if (field === undefined) return;
    this.planned.push(field);
    if (this.#byName !== undefined) this.#byName.set(responseName, field);
    else if (this.planned.length > fewFields) this.#mapNames();
  }

  #mapNames(): void {
    this.#byName = new Map();
    for (const field of this.planned) this.#byName.set(field.responseName, field);
  }

  #find(responseName: string): PlannedField | undefined {
    if (this.#byName !== undefined) return this.#byName.get(responseName);
    for (let at = 0; at < this.planned.length; at++) if (this.planned[at]!.responseName === responseName) return this.planned[at];
    return undefined;
  }

  #plan(responseName: string, node: FieldNode): PlannedField | undefined {
    const definition = fieldDefinition(this.#settings.schema, this.#type, node.name.value);
    if (definition === undefined) return undefined;
    return new PlannedField({
      responseName,
      node,
      definition,
      parentType: this.#type,
      shape: shapeOf(definition.type),
      arguments: planArguments(definition, node),
      collect: this.#settings.collect,
    });
  }

  #applies(condition: NamedTypeNode | undefined): boolean {
    if (condition === undefined) return true;
    const type = this.#settings.schema.getType(condition.name.value);
    return type === this.#type || (isAbstractType(type) && this.#settings.schema.isSubType(type, this.#type));
  }
}

/** A map of two fields takes as long as the fields themselves. */
const fewFields = 12;

/** The three meta fields, then the type's own. graphql 17 has a method for this, 16 has not. */
function fieldDefinition(schema: GraphQLSchema, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (name === SchemaMetaFieldDef.name && schema.getQueryType() === type) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name && schema.getQueryType() === type) return TypeMetaFieldDef;
  return type.getFields()[name];
}

/** How values of this type are completed. */
function shapeOf(type: GraphQLOutputType): Shape {
  return isNonNullType(type) ? shapeOfNullable(type.ofType, true) : shapeOfNullable(type, false);
}

function shapeOfNullable(type: GraphQLOutputType, nonNull: boolean): Shape {
  if (isListType(type)) return new ListShape(shapeOf(type.ofType), nonNull);
  if (isLeafType(type)) return leafShapeOf(type, nonNull);
  if (isAbstractType(type)) return new AbstractShape(type, nonNull);
  if (isNonNullType(type)) throw new TypeError('Expected a nullable type inside of a non-null one.');
  return new ObjectShape(type, nonNull);
}
