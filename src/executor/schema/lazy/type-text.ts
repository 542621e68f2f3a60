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

/** The definition of a type and its extensions, parsed when first used. */
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

  /** The definition and its extensions. */
  parts<Node>(): readonly Node[] {
    return [this.definition, ...this.extensions] as readonly unknown[] as readonly Node[];
  }

  /** The approximate size in characters. */
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
    const members = (): FoundMember[] => partsOf(this.entry).flatMap((part) => membersAt(this.#index, part));
    return (this.#fields ??= new Map(members().map((member) => [member.name, member])));
  }
}

/** A parsed field counts as 80 characters. */
function sizeOf(part: DefinitionLocation): number {
  return isParsed(part) ? membersOf(part).length * 80 : part[1] - part[0];
}

/** The nodes of {@link TypeText.parts} by kind of type. */
export type FieldsNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;
export type UnionNode = Pick<UnionTypeDefinitionNode, 'types'>;
export type EnumNode = Pick<EnumTypeDefinitionNode, 'values'>;
export type InputNode = Pick<InputObjectTypeDefinitionNode, 'fields'>;
