import { Kind, print } from 'graphql';
import type {
  ConstDirectiveNode,
  DefinitionNode,
  DirectiveDefinitionNode,
  FieldDefinitionNode,
  InputValueDefinitionNode,
  NamedTypeNode,
  OperationTypeDefinitionNode,
  TypeNode,
} from 'graphql';

export type IsRepeatable = (directive: string) => boolean;

/**
 * Merges definitions and extensions of one type by the rules of `@graphql-tools/schema`: members are united, and a later definition adds
 * arguments and directives to a member and may replace its description. Throws if a field has two types.
 */
export function mergeDefinitions(nodes: readonly DefinitionNode[], isRepeatable: IsRepeatable): DefinitionNode {
  const parts = nodes as readonly Part[];
  const first = parts.find(({ kind }) => !kind.endsWith('Extension'));
  const merge: MergeContext = { type: first?.name?.value ?? 'schema', isRepeatable };
  const listsOf = <K extends keyof Part>(key: K): Part[K][] => parts.map((part) => part[key]);
  const merged: Part = {
    ...first,
    kind: first?.kind ?? Kind.SCHEMA_DEFINITION,
    description: parts.findLast(({ description }) => description)?.description,
    directives: mergeDirectives(listsOf('directives'), isRepeatable),
    interfaces: uniteByName(listsOf('interfaces')),
    types: uniteByName(listsOf('types')),
    fields: mergeMembers(listsOf('fields'), merge),
    values: mergeMembers(listsOf('values'), merge),
    operationTypes: [
      ...new Map(
        listsOf('operationTypes')
          .flatMap((list) => list ?? [])
          .map((node) => [node.operation, node]),
      ).values(),
    ],
  };
  return merged as DefinitionNode;
}

/** Merges definitions of one directive: the last, with the arguments and locations of all. */
export function mergeDirectiveDefinitions(nodes: readonly DirectiveDefinitionNode[]): DirectiveDefinitionNode {
  const last = nodes.at(-1) as DirectiveDefinitionNode;
  return {
    ...last,
    arguments: uniteByName(nodes.map((node) => node.arguments)),
    locations: [...new Map(nodes.flatMap(({ locations }) => locations).map((node) => [node.value, node])).values()],
  };
}

/** The common properties of definitions of types; each kind lacks some. */
interface Part {
  readonly kind: string;
  readonly name?: FieldDefinitionNode['name'];
  readonly description?: FieldDefinitionNode['description'] | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  readonly interfaces?: readonly NamedTypeNode[] | undefined;
  readonly types?: readonly NamedTypeNode[] | undefined;
  readonly fields?: readonly Member[] | undefined;
  readonly values?: readonly Member[] | undefined;
  readonly operationTypes?: readonly OperationTypeDefinitionNode[] | undefined;
}

interface Member {
  readonly name: FieldDefinitionNode['name'];
  readonly description?: FieldDefinitionNode['description'] | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  /** Enum values have none. */
  readonly type?: TypeNode | undefined;
  readonly arguments?: readonly InputValueDefinitionNode[] | undefined;
}

interface MergeContext {
  readonly type: string;
  readonly isRepeatable: IsRepeatable;
}

function mergeMembers(lists: readonly (readonly Member[] | undefined)[], merge: MergeContext): Member[] {
  const members = new Map<string, Member>();
  for (const member of lists.flatMap((list) => list ?? [])) {
    const earlier = members.get(member.name.value);
    members.set(member.name.value, earlier ? mergeMember(earlier, member, merge) : member);
  }
  return [...members.values()];
}

function mergeMember(earlier: Member, later: Member, { type, isRepeatable }: MergeContext): Member {
  return {
    ...earlier,
    type: mergeTypes(earlier.type, later.type, `${type}.${later.name.value}`),
    description: later.description ?? earlier.description,
    arguments: uniteByName([earlier.arguments, later.arguments]),
    directives: mergeDirectives([earlier.directives, later.directives], isRepeatable),
  };
}

/** Types may differ only in nullability. */
function mergeTypes(earlier: TypeNode | undefined, later: TypeNode | undefined, member: string): TypeNode | undefined {
  if (earlier === undefined || later === undefined) return earlier;
  if (print(earlier).replaceAll('!', '') !== print(later).replaceAll('!', '')) {
    throw new Error(`typeDefs define ${member} twice, as ${print(earlier)} and as ${print(later)}. Give it one type.`);
  }
  return later.kind === Kind.NON_NULL_TYPE && earlier.kind !== Kind.NON_NULL_TYPE ? later : earlier;
}

/** One node for each name: the last, at the position of the first. */
function uniteByName<T extends { readonly name: { readonly value: string } }>(lists: readonly (readonly T[] | undefined)[]): T[] {
  return [...new Map(lists.flatMap((list) => list ?? []).map((node) => [node.name.value, node])).values()];
}

/** Unites directives; two uses of one that is not repeatable become one with the arguments of both. */
function mergeDirectives(lists: readonly (readonly ConstDirectiveNode[] | undefined)[], isRepeatable: IsRepeatable): ConstDirectiveNode[] {
  const merged = new Map<string, ConstDirectiveNode>();
  for (const directive of lists.flatMap((list) => list ?? [])) {
    const key = isRepeatable(directive.name.value) ? print(directive) : directive.name.value;
    const earlier = merged.get(key);
    merged.set(key, earlier ? { ...earlier, arguments: uniteByName([earlier.arguments, directive.arguments]) } : directive);
  }
  return [...merged.values()];
}
