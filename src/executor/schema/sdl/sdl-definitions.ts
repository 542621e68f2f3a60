import { Kind } from 'graphql';
import type { DefinitionNode, DocumentNode } from 'graphql';

import { membersOf, parseDefinition, parseSource } from './parse-sdl.ts';
import type { IndexedText, MemberNode } from './parse-sdl.ts';
import { isParsed } from './location.ts';
import type { DefinitionKind, DefinitionLocation, FoundDefinition } from './location.ts';
import { scanDefinitions, scanFields } from './sdl-scanner.ts';
import { getOrCreate } from '../../../shared/index.ts';

/** A field, input field or enum value, and its location. */
export interface FoundMember {
  readonly name: string;
  readonly at: DefinitionLocation<MemberNode>;
}

/**
 * The definitions in one of several texts. If the fast scanner fails, graphql-js's parser reads the whole text. Throws an Error that
 * shows the invalid line.
 */
export function definitionsIn(source: string, { number, count, offset }: SourcePlace): readonly FoundDefinition[] {
  return scanDefinitions(source, offset) ?? definitionsOf(parseSource(source, number, count));
}

/** The index of a text, the number of texts, and the place of the text in all texts joined. */
export interface SourcePlace {
  readonly number: number;
  readonly count: number;
  readonly offset: number;
}

/** The definitions in a document. */
export function definitionsOf({ definitions }: DocumentNode): FoundDefinition[] {
  return definitions.map(foundDefinition);
}

/** The members of one definition or extension. */
export function membersAt(indexed: IndexedText, at: DefinitionLocation): readonly FoundMember[] {
  return getOrCreate(membersByPlace, at, () => findMembers(indexed, at));
}

/** The members of root types are needed twice at start: to check resolvers and to create the first field. */
const membersByPlace = new WeakMap<DefinitionLocation, readonly FoundMember[]>();

function findMembers(indexed: IndexedText, at: DefinitionLocation): readonly FoundMember[] {
  if (isParsed(at)) return membersOf(at).map((node) => ({ name: node.name.value, at: node }));
  return scanFields(indexed.text, at) ?? findMembers(indexed, parseDefinition(indexed, at));
}

function foundDefinition(node: DefinitionNode): FoundDefinition {
  const [kind, extending] = kindOf(node);
  return {
    kind,
    name: 'name' in node ? (node.name?.value ?? '') : '',
    extends: extending,
    at: node,
    interfaces: 'interfaces' in node ? (node.interfaces ?? []).map(({ name }) => name.value) : [],
  };
}

/** The keywords of definitions, by the prefix of their `kind`. */
const keywords: Readonly<Record<string, DefinitionKind>> = {
  ObjectType: 'type',
  InterfaceType: 'interface',
  UnionType: 'union',
  EnumType: 'enum',
  InputObjectType: 'input',
  ScalarType: 'scalar',
  Schema: 'schema',
  Directive: 'directive',
};

function kindOf(node: DefinitionNode): readonly [kind: DefinitionKind, extending: boolean] {
  const [, subject = '', form] = /^(\w+)(Definition|Extension)$/.exec(node.kind) ?? [];
  const kind = Object.hasOwn(keywords, subject) ? keywords[subject] : undefined;
  if (kind === undefined) {
    throw new Error(
      `typeDefs take definitions of types, directives and the schema; they contain ${describe(node)}. Move it to the client.`,
    );
  }
  return [kind, form === 'Extension'];
}

function describe(node: DefinitionNode): string {
  if (node.kind === Kind.FRAGMENT_DEFINITION) return `the fragment "${node.name.value}"`;
  if (node.kind === Kind.OPERATION_DEFINITION) return `a ${node.operation}${node.name ? ` "${node.name.value}"` : ''}`;
  return `a ${node.kind}`;
}
