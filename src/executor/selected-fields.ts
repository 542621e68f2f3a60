import { getNamedType, isAbstractType, isObjectType, Kind } from 'graphql';
import type { GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

import { appliesTo } from './plan/collect-fields.ts';
import { isIncluded } from './plan/conditions.ts';
import type { Conditions } from './plan/conditions.ts';
import { coercedOf } from './run/run.ts';

/** What {@link selectedFields} reads of `info`. */
export type SelectionInfo = Pick<
  GraphQLResolveInfo,
  'fieldName' | 'fieldNodes' | 'fragments' | 'parentType' | 'returnType' | 'schema' | 'variableValues'
>;

export interface SelectedFieldsOptions {
  /** One of the possible types of a field that returns an interface or a union. Default: all of them. */
  readonly type?: string;
}

/** The sets of one field in one execution, by the option `type`. */
const known = new WeakMap<object, Map<string | undefined, ReadonlySet<string>>>();

/**
 * The fields that the client asks for below the field of a resolver, so that it loads nothing else. They have the names of the schema, not
 * aliases, and those of objects in them are dotted: `author`, `author.name`. `__typename` is left out. Fragments, variables, `@skip` and
 * `@include` are applied (GraphQL specification, section 6.3.2, CollectFields); what `@defer` delivers later is included. For an interface
 * or a union, the set has the fields of all possible types.
 *
 * The result is computed once for each field of an execution, not for each object. Do not change it. Throws a TypeError if `type` is no
 * possible type of the field.
 *
 * @example
 * ```ts
 * const resolvers = {
 *   Query: {
 *     books: (_, args, { dataSources }, info) => dataSources.books.list(selectedFields(info)),
 *   },
 * };
 * ```
 */
export function selectedFields(info: SelectionInfo, { type }: SelectedFieldsOptions = {}): ReadonlySet<string> {
  let ofField = known.get(info.fieldNodes);
  if (ofField === undefined) known.set(info.fieldNodes, (ofField = new Map()));
  let fields = ofField.get(type);
  if (fields === undefined) ofField.set(type, (fields = new Collector(info).collect(type)));
  return fields;
}

/** Selections with the types of the objects that they are for. */
interface TypedSelection {
  readonly types: readonly GraphQLObjectType[];
  readonly selectionSet: SelectionSetNode | undefined;
}

class Collector {
  readonly #info: SelectionInfo;
  readonly #conditions: Conditions;
  readonly #fields = new Set<string>();

  constructor(info: SelectionInfo) {
    this.#info = info;
    this.#conditions = new Map(Object.entries(coercedOf(info.variableValues)));
  }

  collect(type: string | undefined): ReadonlySet<string> {
    const { fieldNodes } = this.#info;
    const types = this.#typesFor(type);
    this.#add(
      fieldNodes.map(({ selectionSet }) => ({ types, selectionSet })),
      '',
    );
    return this.#fields;
  }

  #typesFor(type: string | undefined): readonly GraphQLObjectType[] {
    const { returnType, parentType, fieldName } = this.#info;
    const possible = this.#possibleTypes([returnType]);
    if (type === undefined) return possible;
    const chosen = possible.filter(({ name }) => name === type);
    if (chosen.length > 0) return chosen;
    const names = possible.map(({ name }) => name).join(', ') || 'no object';
    throw new TypeError(
      `Expected the type of selectedFields to be one that ${parentType.name}.${fieldName} returns (${names}), got ${type}.`,
    );
  }

  /** Objects of several types are read together: what is selected for some of them is selected. */
  #possibleTypes(types: Iterable<GraphQLOutputType>): readonly GraphQLObjectType[] {
    const possible = [...new Set([...types].map((type) => getNamedType(type)))].map((type) => {
      if (isObjectType(type)) return [type];
      return isAbstractType(type) ? this.#info.schema.getPossibleTypes(type) : [];
    });
    return possible.length === 1 ? possible[0]! : [...new Set(possible.flat())];
  }

  /** Fields of one name are visited together, under whatever alias, so that each name is visited once. */
  #add(selections: readonly TypedSelection[], prefix: string): void {
    const level = new Level(this.#info, this.#conditions);
    for (const selection of selections) level.visit(selection);
    for (const [name, nodes] of level.fields) {
      this.#fields.add(prefix + name);
      const below = nodes.flatMap(({ types, selectionSet }) => {
        if (selectionSet === undefined) return [];
        return { types: this.#possibleTypes(types.map((type) => type.getFields()[name]!.type)), selectionSet };
      });
      if (below.length > 0) this.#add(below, `${prefix}${name}.`);
    }
  }
}

/** The fields of the objects at one place of the response. */
class Level {
  readonly fields: Map<string, TypedSelection[]> = new Map();
  readonly #info: SelectionInfo;
  readonly #conditions: Conditions;
  /** The types for which a fragment has been visited. */
  readonly #visited = new Map<string, Set<GraphQLObjectType>>();

  constructor(info: SelectionInfo, conditions: Conditions) {
    this.#info = info;
    this.#conditions = conditions;
  }

  visit({ types, selectionSet }: TypedSelection): void {
    const { schema, fragments } = this.#info;
    for (const selection of types.length === 0 ? [] : (selectionSet?.selections ?? [])) {
      if (!isIncluded(selection, this.#conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        this.#addField(selection.name.value, types, selection.selectionSet);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (fragment === undefined) continue;
      const { typeCondition, selectionSet: below } = fragment;
      const fitting = types.filter((type) => appliesTo(schema, typeCondition, type));
      this.visit({ types: isSpread ? this.#notVisited(selection.name.value, fitting) : fitting, selectionSet: below });
    }
  }

  #addField(name: string, types: readonly GraphQLObjectType[], selectionSet: SelectionSetNode | undefined): void {
    const having = types.filter((type) => type.getFields()[name] !== undefined);
    if (having.length === 0) return;
    const selection = { types: having, selectionSet };
    const nodes = this.fields.get(name);
    if (nodes === undefined) this.fields.set(name, [selection]);
    else nodes.push(selection);
  }

  /** Fragments that spread each other would be visited exponentially often. */
  #notVisited(name: string, types: readonly GraphQLObjectType[]): readonly GraphQLObjectType[] {
    let visited = this.#visited.get(name);
    if (visited === undefined) this.#visited.set(name, (visited = new Set()));
    const others = types.filter((type) => !visited.has(type));
    for (const type of others) visited.add(type);
    return others;
  }
}
