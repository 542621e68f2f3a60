import { parse, print, stripIgnoredCharacters, visit } from 'graphql';
import type { ASTNode, DocumentNode } from 'graphql';

import {
  artifactFormat,
  createSchemaIndex,
  encodeMembers,
  encodeTypes,
  graphqlVersion,
  isParsed,
  membersAt,
  partsOf,
  sealOf,
} from '../../../executor/schema/index.ts';
import type {
  BuildArtifact,
  BuildSources,
  DefinitionLocation,
  ScannedMember,
  SchemaIndex,
  Span,
  TypeEntry,
} from '../../../executor/schema/index.ts';

/** The build lists the members of types with at least this many characters. Smaller types are parsed whole (create-type.ts). */
const manyCharacters = 2000;

/** Creates the build of a schema, with documents that are valid for it. */
export function makeArtifact(
  typeDefs: readonly (string | DocumentNode)[],
  from: BuildSources,
  documents: readonly string[],
): BuildArtifact {
  const index = writeOut(createSchemaIndex(typeDefs), from.descriptions);
  const { text, directives, directiveExtensions, schema, schemaExtensions, roots } = index;
  const unsealed = {
    format: artifactFormat,
    graphql: graphqlVersion(),
    from,
    text,
    types: encodeTypes(index),
    members: encodeMembers(index, (entry) => membersOfLarge(entry, index)),
    rest: JSON.stringify({ directives, directiveExtensions, schema, schemaExtensions, roots }),
    documents: [...new Set(documents)].toSorted(),
  };
  return { ...unsealed, seal: sealOf(unsealed) };
}

/** Writes the schema as one text, without ignored characters and with parsed definitions printed. */
function writeOut(index: SchemaIndex, descriptions: boolean): SchemaIndex {
  const pieces: string[] = [];
  let end = 0;
  const move = (place: DefinitionLocation): Span => {
    const piece = pieceAt(index.text, place, descriptions);
    const start = end === 0 ? 0 : end + 1;
    pieces.push(piece);
    end = start + piece.length;
    return [start, end];
  };
  const types = new Map(
    Array.from(index.types.values(), ({ name, kind, at, extensions, interfaces }) => [
      name,
      { name, kind, at: move(at), extensions: extensions.map(move), interfaces },
    ]),
  );
  const directives = index.directives.map(move);
  const directiveExtensions = index.directiveExtensions.map(move);
  const schema = index.schema && move(index.schema);
  const schemaExtensions = index.schemaExtensions.map(move);
  const text = pieces.join(' ');
  return {
    text,
    sources: [[0, text.length]],
    types,
    directives,
    directiveExtensions,
    ...(schema && { schema }),
    schemaExtensions,
    roots: index.roots,
  };
}

function pieceAt(text: string, place: DefinitionLocation, descriptions: boolean): string {
  const piece = isParsed(place) ? print(place) : text.slice(...place);
  return stripIgnoredCharacters(descriptions ? piece : print(withoutDescriptions(parse(piece, { noLocation: true }))));
}

function withoutDescriptions(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: (node: ASTNode): ASTNode | undefined =>
      'description' in node && node.description ? { ...node, description: undefined } : undefined,
  }) as DocumentNode;
}

function membersOfLarge(entry: TypeEntry, index: SchemaIndex): readonly (readonly ScannedMember[])[] | undefined {
  const parts = partsOf(entry) as readonly Span[];
  const size = parts.reduce((sum, [start, end]) => sum + end - start, 0);
  if (size < manyCharacters) return undefined;
  const members = parts.map((part) => membersAt(index, part));
  // Members that the scanner cannot read have no place in the text.
  return members.flat().some(({ at }) => isParsed(at)) ? undefined : (members as (readonly ScannedMember[])[]);
}
