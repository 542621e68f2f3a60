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

import { parseDefinition, parseExtension, parseMember } from './parse-sdl.ts';
import { partsOf, type SchemaIndex, type TypeEntry } from './schema-index.ts';
import { membersIn } from './sdl-definitions.ts';
import type { Span } from './sdl-scanner.ts';

/** The text of one type: its definition and its extensions, parsed when they are first asked for. */
export class TypeText {
  readonly entry: TypeEntry;
  readonly #index: SchemaIndex;
  #definition: TypeDefinitionNode | undefined;
  #extensions: readonly TypeExtensionNode[] | undefined;
  #fieldSpans: ReadonlyMap<string, Span> | undefined;

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

  /** How many characters there are to parse. */
  get length(): number {
    return partsOf(this.entry).reduce((length, [start, end]) => length + end - start, 0);
  }

  /** The names of the fields in the order of the schema, found without parsing. */
  fieldNames(): Iterable<string> {
    return this.#fields().keys();
  }

  /** One field, parsed alone. */
  field(name: string): FieldDefinitionNode {
    const node = parseMember(this.#index, this.entry.kind, this.#fields().get(name) as Span) as ObjectTypeDefinitionNode;
    return node.fields?.[0] as FieldDefinitionNode;
  }

  #fields(): ReadonlyMap<string, Span> {
    return (this.#fieldSpans ??= new Map(
      partsOf(this.entry).flatMap((part) => membersIn(this.#index, part).map(({ name, at }) => [name, at])),
    ));
  }
}

/** What {@link TypeText.parts} are made of, by kind of type; extensions have the same properties. */
export type FieldsNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;
export type UnionNode = Pick<UnionTypeDefinitionNode, 'types'>;
export type EnumNode = Pick<EnumTypeDefinitionNode, 'values'>;
export type InputNode = Pick<InputObjectTypeDefinitionNode, 'fields'>;
