import { getDirectiveValues, GraphQLDeprecatedDirective, GraphQLList, GraphQLNonNull, Kind } from 'graphql';
import { isGraphQL17, coerceWithGraphQLJS } from '../../graphql-version.ts';
import { messageOf } from '../../../shared/index.ts';
import type {
  DirectiveDefinitionNode,
  DirectiveExtensionNode,
  EnumValueDefinitionNode,
  FieldDefinitionNode,
  GraphQLArgumentConfig,
  GraphQLEnumValueConfig,
  GraphQLFieldConfig,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLType,
  InputValueDefinitionNode,
  TypeNode,
  ConstDirectiveNode,
  GraphQLDirective,
} from 'graphql';

/** Finds a type that `usedIn` refers to. Throws an Error if it does not exist. */
export type TypeLookup = (name: string, usedIn: string) => GraphQLNamedType;

/** A field as graphql-js's constructors take it, with its resolver. */
export function fieldConfig(
  node: FieldDefinitionNode,
  { type, resolver }: { readonly type: string; readonly resolver: unknown },
  lookUp: TypeLookup,
): GraphQLFieldConfig<unknown, unknown> {
  const usedIn = `${type}.${node.name.value}`;
  return {
    type: typeOf(node.type, usedIn, lookUp) as GraphQLOutputType,
    description: node.description?.value,
    args: argumentConfigs(node.arguments, usedIn, lookUp),
    deprecationReason: deprecationReason(node),
    astNode: node,
    ...(typeof resolver === 'function' ? { resolve: resolver as never } : (resolver as object | undefined)),
  };
}

/** Arguments, or the fields of an input type, by name. */
export function argumentConfigs(
  nodes: readonly InputValueDefinitionNode[] | undefined,
  usedIn: string,
  lookUp: TypeLookup,
): Record<string, GraphQLArgumentConfig> {
  const configs: Record<string, GraphQLArgumentConfig> = Object.create(null);
  for (const node of nodes ?? []) {
    const type = typeOf(node.type, `${usedIn}.${node.name.value}`, lookUp) as GraphQLInputType;
    configs[node.name.value] = {
      type,
      description: node.description?.value,
      deprecationReason: deprecationReason(node),
      astNode: node,
      ...defaultConfig(node, type),
    };
  }
  return configs;
}

/** An enum value; `value` is its internal value. */
export function enumValueConfig(node: EnumValueDefinitionNode, value: unknown): GraphQLEnumValueConfig {
  return { description: node.description?.value, deprecationReason: deprecationReason(node), astNode: node, value };
}

/** graphql 17 takes the literal, 16 the value. */
function defaultConfig({ defaultValue }: InputValueDefinitionNode, type: GraphQLInputType): object | undefined {
  if (defaultValue === undefined) return undefined;
  return isGraphQL17 ? { default: { literal: defaultValue } } : { defaultValue: coerceWithGraphQLJS({ type }, defaultValue) };
}

export function deprecationReason(
  node: FieldDefinitionNode | InputValueDefinitionNode | EnumValueDefinitionNode | DirectiveDefinitionNode | DirectiveExtensionNode,
): string | undefined {
  return directiveValues(GraphQLDeprecatedDirective, node)?.['reason'] as string | undefined;
}

function typeOf(node: TypeNode, usedIn: string, lookUp: TypeLookup): GraphQLType {
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(typeOf(node.type, usedIn, lookUp));
  if (node.kind === Kind.NON_NULL_TYPE) return new GraphQLNonNull(typeOf(node.type, usedIn, lookUp) as never);
  return lookUp(node.name.value, usedIn);
}

/** The arguments of a directive; undefined without the directive. Throws a plain Error, because a GraphQLError would be the client's mistake. */
export function directiveValues(
  directive: GraphQLDirective,
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
): { readonly [argument: string]: unknown } | undefined {
  if (!node.directives?.length) return undefined;
  try {
    return getDirectiveValues(directive, node as Parameters<typeof getDirectiveValues>[1]);
  } catch (error) {
    throw new Error(`typeDefs use @${directive.name} wrongly. ${messageOf(error)}`, { cause: error });
  }
}
