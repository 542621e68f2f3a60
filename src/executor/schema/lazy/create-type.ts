import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLScalarType,
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

import { GraphQLOneOfDirective, GraphQLSpecifiedByDirective } from '../../graphql-version.ts';
import { directiveValues, argumentConfigs, enumValueConfig, fieldConfig } from './type-configs.ts';
import { LazyFieldsObjectType } from './lazy-fields.ts';
import { defineLazy } from './lazy-property.ts';
import type { MergedTypeResolvers } from '../resolvers/merge-resolvers.ts';
import type { TypeKind } from '../sdl/location.ts';
import type { TypeLookup } from './type-configs.ts';
import type { EnumNode, FieldsNode, InputNode, TypeText, UnionNode } from './type-text.ts';

/** The parts of a type. */
export interface TypeMaterial {
  readonly text: TypeText;
  readonly resolvers: MergedTypeResolvers | undefined;
  readonly lookUp: TypeLookup;
  /** Throws an Error if the resolvers do not fit the type. `members`: the names of its fields or values. */
  readonly check: (members?: { has(name: string): boolean }) => void;
}

/**
 * A type that parses its text when needed: an ordinary graphql-js type, whose constructor takes functions for fields, values and
 * members. Other properties become lazy afterwards.
 */
export function createType(material: TypeMaterial): GraphQLNamedType {
  const { text } = material;
  const type = constructors[text.entry.kind](material);
  defineLazy(type, 'astNode', () => text.definition);
  defineLazy(type, 'extensionASTNodes', () => text.extensions);
  // The description of a GraphQLScalarType is used if the text has none.
  const { description } = type;
  defineLazy(type, 'description', () => text.definition.description?.value ?? description);
  return type;
}

/** Characters from which fields are parsed one by one. Smaller types take less time to parse than to scan for fields. */
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
    configs: () => fieldConfigs(material),
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

/** `__isTypeOf` or `__resolveType`, checked here because an operation may call it without reading the fields. */
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
      // A name that an earlier part has is not added again; a part with a name twice stays invalid.
      const names = text.parts<UnionNode>().map(({ types }) => (types ?? []).map((type) => type.name.value));
      const united = names.reduce((earlier, list) => earlier.concat(list.filter((one) => !earlier.includes(one))), []);
      return united.map((member) => lookUp(member, name) as GraphQLObjectType);
    },
    resolveType: resolvers?.get('__resolveType') as never,
  });
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
  defineLazy(type, 'specifiedByURL', () => {
    const urls = text.parts<ScalarTypeDefinitionNode>().map((node) => directiveValues(GraphQLSpecifiedByDirective, node)?.['url']);
    return urls.findLast((url) => url !== undefined) ?? given;
  });
  return type;
}

/** The settings of a `GraphQLScalarType` of any copy of graphql, or plain functions. */
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

/** graphql-js rejects a parseLiteral without parseValue. */
function withParseValue(config: Record<string, unknown>): Record<string, unknown> {
  return config['parseLiteral'] && !config['parseValue'] && !config['coerceInputValue']
    ? { parseValue: (value: unknown) => value, ...config }
    : config;
}
