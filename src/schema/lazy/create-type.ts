import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLOneOfDirective,
  GraphQLScalarType,
  GraphQLSpecifiedByDirective,
  GraphQLUnionType,
} from 'graphql';
import type {
  GraphQLArgumentConfig,
  GraphQLEnumValueConfig,
  GraphQLFieldConfig,
  GraphQLInterfaceType as Interface,
  GraphQLNamedType,
  GraphQLScalarTypeConfig,
  ScalarTypeDefinitionNode,
} from 'graphql';

import { directiveValues, argumentConfigs, enumValueConfig, fieldConfig } from './type-configs.ts';
import { LazyFieldsObjectType } from './lazy-fields.ts';
import { defineLazy } from './lazy-property.ts';
import type { MergedTypeResolvers } from '../resolvers/merge-resolvers.ts';
import type { TypeKind } from '../sdl/location.ts';
import type { TypeLookup } from './type-configs.ts';
import type { EnumNode, FieldsNode, InputNode, TypeText, UnionNode } from './type-text.ts';

/** The material of a type. */
export interface TypeMaterial {
  readonly text: TypeText;
  readonly resolvers: MergedTypeResolvers | undefined;
  readonly lookUp: TypeLookup;
  /** Throws an Error when the resolvers do not fit. `members`: the names of the fields or values, where the type has any. */
  readonly check: (members?: { has(name: string): boolean }) => void;
}

/**
 * A type that knows its name and its resolvers, and parses its text when more of it is asked for.
 *
 * Ordinary graphql-js types, whose constructors take functions for fields, values and members; the few
 * properties they do not take functions for are defined afterwards.
 */
export function createType(material: TypeMaterial): GraphQLNamedType {
  const { text } = material;
  const type = constructors[text.entry.kind](material);
  defineLazy(type, 'astNode', () => text.definition);
  defineLazy(type, 'extensionASTNodes', () => text.extensions);
  // A scalar's own description is the fallback for the text's.
  const { description } = type;
  defineLazy(type, 'description', () => text.definition.description?.value ?? description);
  return type;
}

/**
 * From this many characters on, an object type's fields are parsed one by one.
 * Below, parsing the whole type costs less than finding where its fields are.
 */
const manyFields = 2000;

const constructors: Readonly<Record<TypeKind, (material: TypeMaterial) => GraphQLNamedType>> = {
  type: objectType,
  interface: interfaceType,
  union: unionType,
  enum: enumType,
  input: inputType,
  scalar: scalarType,
};

function objectType(material: TypeMaterial): GraphQLObjectType {
  const { text } = material;
  const { name } = text.entry;
  const config = { name, interfaces: () => interfacesOf(material), isTypeOf: typeFunction(material, '__isTypeOf') };
  if (text.size < manyFields) return new GraphQLObjectType({ ...config, fields: () => fieldConfigs(material) });
  return new LazyFieldsObjectType(config, {
    names: () => {
      const fields = text.fields();
      material.check(fields);
      return fields;
    },
    config: (field) => fieldConfig(text.field(field), { type: name, resolver: material.resolvers?.get(field) }, material.lookUp),
  });
}

function interfaceType(material: TypeMaterial): GraphQLInterfaceType {
  return new GraphQLInterfaceType({
    name: material.text.entry.name,
    interfaces: () => interfacesOf(material),
    fields: () => fieldConfigs(material),
    resolveType: typeFunction(material, '__resolveType'),
  });
}

/** `__isTypeOf` or `__resolveType`. An operation may call it without looking at the type's fields. */
function typeFunction({ resolvers, check }: TypeMaterial, name: string): never {
  const given = resolvers?.get(name);
  if (given !== undefined && typeof given !== 'function') check();
  return given as never;
}

function interfacesOf({ text: { entry }, lookUp }: TypeMaterial): Interface[] {
  return entry.interfaces.map((name) => lookUp(name, entry.name) as Interface);
}

function fieldConfigs(material: TypeMaterial): Record<string, GraphQLFieldConfig<unknown, unknown>> {
  const { text, resolvers, lookUp, check } = material;
  const configs: Record<string, GraphQLFieldConfig<unknown, unknown>> = Object.create(null);
  for (const part of text.parts<FieldsNode>()) {
    for (const node of part.fields ?? []) {
      configs[node.name.value] = fieldConfig(node, { type: text.entry.name, resolver: resolvers?.get(node.name.value) }, lookUp);
    }
  }
  check({ has: (name) => name in configs });
  return configs;
}

function unionType({ text, resolvers, lookUp, check }: TypeMaterial): GraphQLUnionType {
  check();
  const { name } = text.entry;
  return new GraphQLUnionType({
    name,
    types: () => {
      const names = text.parts<UnionNode>().map(({ types }) => (types ?? []).map((type) => type.name.value));
      return unite(names).map((member) => lookUp(member, name) as GraphQLObjectType);
    },
    resolveType: resolvers?.get('__resolveType') as never,
  });
}

/** The names of all lists; one that an earlier list has is not added again. */
function unite(lists: readonly (readonly string[])[]): string[] {
  return lists.reduce<string[]>((united, list) => united.concat(list.filter((name) => !united.includes(name))), []);
}

function enumType({ text, resolvers, check }: TypeMaterial): GraphQLEnumType {
  return new GraphQLEnumType({
    name: text.entry.name,
    values: () => {
      const configs: Record<string, GraphQLEnumValueConfig> = Object.create(null);
      for (const node of text.parts<EnumNode>().flatMap(({ values }) => values ?? [])) {
        configs[node.name.value] = enumValueConfig(node, resolvers?.get(node.name.value));
      }
      check({ has: (name) => name in configs });
      return configs;
    },
  });
}

function inputType({ text, lookUp, check }: TypeMaterial): GraphQLInputObjectType {
  check();
  const { name } = text.entry;
  const type = new GraphQLInputObjectType({
    name,
    fields: () =>
      argumentConfigs(
        text.parts<InputNode>().flatMap(({ fields }) => fields ?? []),
        name,
        lookUp,
      ) as Record<string, GraphQLArgumentConfig>,
  });
  defineLazy(type, 'isOneOf', () => directiveValues(GraphQLOneOfDirective, text.definition) !== undefined);
  return type;
}

function scalarType({ text, resolvers, check }: TypeMaterial): GraphQLScalarType {
  check();
  const type = new GraphQLScalarType({ ...scalarConfig(resolvers), name: text.entry.name });
  const given = type.specifiedByURL;
  defineLazy(
    type,
    'specifiedByURL',
    () =>
      text
        .parts<ScalarTypeDefinitionNode>()
        .map(specifiedByURL)
        .findLast((url) => url !== undefined) ?? given,
  );
  return type;
}

function specifiedByURL(node: ScalarTypeDefinitionNode): unknown {
  return directiveValues(GraphQLSpecifiedByDirective, node)?.['url'];
}

/** From a `GraphQLScalarType` its own settings, whatever copy of graphql made it; from plain functions those that are there. */
function scalarConfig(resolvers: MergedTypeResolvers | undefined): Partial<GraphQLScalarTypeConfig<unknown, unknown>> {
  if (resolvers === undefined) return {};
  if (resolvers.scalar !== undefined) return (resolvers.scalar as GraphQLScalarType).toConfig();
  const config: Record<string, unknown> = {};
  for (const key of resolvers.names()) {
    const value = resolvers.get(key);
    if (value !== undefined) config[key.replace(/^__/, '')] = value;
  }
  return withParseValue(config);
}

/** graphql-js refuses a parseLiteral without parseValue; an input that is given as a literal alone is a value all the same. */
function withParseValue(config: Record<string, unknown>): Record<string, unknown> {
  return config['parseLiteral'] && !config['parseValue'] && !config['coerceInputValue']
    ? { parseValue: (value: unknown) => value, ...config }
    : config;
}
