import type {
  EnumTypeDefinitionNode,
  FieldDefinitionNode,
  InputObjectTypeDefinitionNode,
  ObjectTypeDefinitionNode,
  ObjectTypeExtensionNode,
  TypeDefinitionNode,
  TypeExtensionNode,
  UnionTypeDefinitionNode,
} from 'graphql';

import { membersOf, parseDefinition, parseExtension, parseMember } from '../sdl/parse-sdl.ts';
import { isParsed } from '../sdl/location.ts';
import type { DefinitionLocation } from '../sdl/location.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { SchemaIndex, TypeEntry } from '../sdl/schema-index.ts';
import { membersAt } from '../sdl/sdl-definitions.ts';
import type { FoundMember } from '../sdl/sdl-definitions.ts';

/** The text of one type: its definition and its extensions, parsed when they are first asked for. */
export class TypeText {
  readonly entry: TypeEntry;
  readonly #index: SchemaIndex;
  #definition: TypeDefinitionNode | undefined;
  #extensions: readonly TypeExtensionNode[] | undefined;
  #fields: ReadonlyMap<string, FoundMember> | undefined;

  constructor(entry: TypeEntry, index: SchemaIndex) {
    this.entry = entry;
    this.#index = index;
  }

  get definition(): TypeDefinitionNode {
    return (this.#definition ??= parseDefinition(this.#index, this.entry.at) as TypeDefinitionNode);
  }

  get extensions(): readonly TypeExtensionNode[] {
    return (this.#extensions ??= this.entry.extensions.map((at) => parseExtension(this.#index, at) as TypeExtensionNode));
  }

  /** The definition and its extensions, all of the type's own kind. */
  parts<Node>(): readonly Node[] {
    return [this.definition, ...this.extensions] as readonly unknown[] as readonly Node[];
  }

  /** How large the type is, about, in characters. */
  get size(): number {
    return partsOf(this.entry).reduce((size, part) => size + sizeOf(part), 0);
  }

  /** One field, parsed alone. */
  field(name: string): FieldDefinitionNode {
    const { at } = this.fields().get(name) as FoundMember;
    return parseMember(this.#index, this.entry.kind, at) as FieldDefinitionNode;
  }

  /** The fields in the order of the schema, found without parsing. */
  fields(): ReadonlyMap<string, FoundMember> {
    return (this.#fields ??= this.#findFields());
  }

  #findFields(): ReadonlyMap<string, FoundMember> {
    const fields = new Map<string, FoundMember>();
    for (const part of partsOf(this.entry)) for (const member of membersAt(this.#index, part)) fields.set(member.name, member);
    return fields;
  }
}

/** A field takes 80 characters or more, with its description. */
function sizeOf(part: DefinitionLocation): number {
  return isParsed(part) ? membersOf(part).length * 80 : part[1] - part[0];
}

/** The nodes that {@link TypeText.parts} come from, by kind of type; extensions have the same properties. */
export type FieldsNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;
export type UnionNode = Pick<UnionTypeDefinitionNode, 'types'>;
export type EnumNode = Pick<EnumTypeDefinitionNode, 'values'>;
export type InputNode = Pick<InputObjectTypeDefinitionNode, 'fields'>;
