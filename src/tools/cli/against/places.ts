import { isTypeDefinitionNode, isTypeExtensionNode, parse } from 'graphql';
import type { ASTNode, GraphQLSchema, TypeDefinitionNode, TypeExtensionNode } from 'graphql';

import { sourcesOf } from '../../../executor/schema/index.ts';
import type { ServerOptions } from '../../../server/index.ts';
import { textsOfBuild } from '../project/build-sources.ts';
import { positionAt } from '../project/problem.ts';
import type { FoundPlace, SourceSearch } from '../project/source-search.ts';
import type { EarlierSchema } from './earlier-schema.ts';

type TypeNode = TypeDefinitionNode | TypeExtensionNode;

/** Finds the definition that a change is about. */
export type FindPlace = (message: string) => FoundPlace | undefined;

/** Searches the project's schema, then the file of the earlier schema, which still has removed types. */
export function findPlaces(options: ServerOptions, search: SourceSearch, { file }: EarlierSchema): FindPlace {
  const current = typesOf(options);
  const earlier = file === undefined ? [] : parse(file.text).definitions.filter(isType);
  return (message) => {
    const node = findDefinition(current, message);
    const { source, start } = node?.loc ?? {};
    if (source !== undefined && start !== undefined) return search.findText(source.body, start);
    const removed = findDefinition(earlier, message);
    return file && removed?.loc && { file: file.path, ...positionAt(file.text, removed.loc.start) };
  };
}

function typesOf(options: ServerOptions): TypeNode[] {
  if (options.schema !== undefined) return typesOfSchema(options.schema);
  const documents = sourcesOf(options.typeDefs ?? textsOfBuild(options));
  return documents.flatMap((source) => (typeof source === 'string' ? parse(source) : source).definitions.filter(isType));
}

function typesOfSchema(schema: GraphQLSchema): TypeNode[] {
  return Object.values(schema.getTypeMap()).flatMap(({ astNode, extensionASTNodes }) => [
    ...(astNode ? [astNode] : []),
    ...extensionASTNodes,
  ]);
}

function isType(node: ASTNode): node is TypeNode {
  return isTypeDefinitionNode(node) || isTypeExtensionNode(node);
}

/** How graphql-js 16 and 17 name types and their members. A change has no coordinate. */
const forms = [
  /(?<type>\w+)\.(?<member>\w+)/,
  /field (?<member>\w+) on input type (?<type>\w+)/,
  /(?:union|enum) type (?<type>\w+)/,
  /interfaces implemented by (?<type>\w+)/,
  /^(?<type>\w+) (?:no longer implements|changed from|was removed)/,
];

/** The name of the member if it still exists, else the name of its type. */
function findDefinition(types: readonly TypeNode[], message: string): ASTNode | undefined {
  for (const form of forms) {
    const { type, member } = form.exec(message)?.groups ?? {};
    if (type === undefined) continue;
    const named = types.filter(({ name }) => name.value === type);
    return (named.flatMap(membersOf).find(({ name }) => name.value === member) ?? named[0])?.name;
  }
  return undefined;
}

function membersOf(type: TypeNode): readonly { readonly name: TypeNode['name'] }[] {
  if ('fields' in type) return type.fields ?? [];
  return 'values' in type ? (type.values ?? []) : [];
}
