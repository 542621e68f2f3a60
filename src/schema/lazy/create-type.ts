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

import { directiveValues } from './directive-values.ts';
import { LazyFieldsObjectType } from './lazy-fields.ts';
import { defineLazy } from './lazy-property.ts';
import { isScalarType } from '../resolvers/merge-resolvers.ts';
import type { MergedTypeResolvers } from '../resolvers/merge-resolvers.ts';
import type { TypeKind } from '../sdl/sdl-scanner.ts';
import { argumentConfigs, enumValueConfig, fieldConfig } from './type-configs.ts';
import type { TypeLookup } from './type-configs.ts';
import type { EnumNode, FieldsNode, InputNode, TypeText, UnionNode } from './type-text.ts';

/** What a type is made from. */
export interface TypeMaterial {
  readonly text: TypeText;
  readonly resolvers: MergedTypeResolvers | undefined;
  readonly lookUp: TypeLookup;
}

/**
 * A type that knows its name and its resolvers, and parses its text when somebody asks for more.
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
  const { text, resolvers } = material;
  const { name } = text.entry;
  const config = { name, interfaces: () => interfacesOf(material), isTypeOf: resolvers?.['__isTypeOf'] as never };
  if (text.size < manyFields) return new GraphQLObjectType({ ...config, fields: () => fieldConfigs(material) });
  return new LazyFieldsObjectType(config, {
    names: () => text.fieldNames(),
    config: (field) => fieldConfig(text.field(field), name, material.resolvers?.[field], material.lookUp),
  });
}

function interfaceType(material: TypeMaterial): GraphQLInterfaceType {
  return new GraphQLInterfaceType({
    name: material.text.entry.name,
    interfaces: () => interfacesOf(material),
    fields: () => fieldConfigs(material),
    resolveType: material.resolvers?.['__resolveType'] as never,
  });
}

function interfacesOf({ text: { entry }, lookUp }: TypeMaterial): Interface[] {
  return entry.interfaces.map((name) => lookUp(name, entry.name) as Interface);
}

function fieldConfigs(material: TypeMaterial): Record<string, GraphQLFieldConfig<unknown, unknown>> {
  const { text, resolvers, lookUp } = material;
  const configs: Record<string, GraphQLFieldConfig<unknown, unknown>> = Object.create(null);
  for (const part of text.parts<FieldsNode>()) {
    for (const node of part.fields ?? []) {
      configs[node.name.value] = fieldConfig(node, text.entry.name, resolvers?.[node.name.value], lookUp);
    }
  }
  return configs;
}

function unionType({ text, resolvers, lookUp }: TypeMaterial): GraphQLUnionType {
  const { name } = text.entry;
  return new GraphQLUnionType({
    name,
    types: () => {
      const names = text.parts<UnionNode>().map(({ types }) => (types ?? []).map((type) => type.name.value));
      return unite(names).map((member) => lookUp(member, name) as GraphQLObjectType);
    },
    resolveType: resolvers?.['__resolveType'] as never,
  });
}

/** The names of all lists; one that an earlier list has is not added again. */
function unite(lists: readonly (readonly string[])[]): string[] {
  return lists.reduce<string[]>((united, list) => united.concat(list.filter((name) => !united.includes(name))), []);
}

function enumType({ text, resolvers }: TypeMaterial): GraphQLEnumType {
  return new GraphQLEnumType({
    name: text.entry.name,
    values: () => {
      const configs: Record<string, GraphQLEnumValueConfig> = Object.create(null);
      for (const node of text.parts<EnumNode>().flatMap(({ values }) => values ?? [])) {
        configs[node.name.value] = enumValueConfig(node, resolvers?.[node.name.value]);
      }
      return configs;
    },
  });
}

function inputType({ text, lookUp }: TypeMaterial): GraphQLInputObjectType {
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

function scalarType({ text, resolvers }: TypeMaterial): GraphQLScalarType {
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
  if (isScalarType(resolvers)) return (resolvers as unknown as GraphQLScalarType).toConfig();
  const entries = Object.entries(resolvers ?? {}).filter(([, value]) => value !== undefined);
  const config: Record<string, unknown> = Object.fromEntries(entries.map(([key, value]) => [key.replace(/^__/, ''), value]));
  return withParseValue(config);
}

/** graphql-js refuses a parseLiteral without parseValue; an input that is given as a literal alone is a value all the same. */
function withParseValue(config: Record<string, unknown>): Record<string, unknown> {
  return config['parseLiteral'] && !config['parseValue'] && !config['coerceInputValue']
    ? { parseValue: (value: unknown) => value, ...config }
    : config;
}
