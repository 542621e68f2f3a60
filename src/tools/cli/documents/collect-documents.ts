import { parse, print, Source } from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLSchema, NameNode } from 'graphql';

import { sha256 } from '../../../shared/index.ts';
import { collectFragments } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import {
  checkFiles,
  documentOf,
  documentsInManifests,
  findConflicts,
  isManifest,
  withTypenames,
} from '../project/documents/known-documents.ts';
import type { ManifestDocument } from '../project/documents/known-documents.ts';
import type { Problem } from '../project/problem.ts';

/** A document of the current release, with the place of its source. */
export interface CollectedDocument extends ManifestDocument {
  /** The name of its operation. Undefined: the document is from a manifest, whose clients know their ids. */
  readonly name: string | undefined;
}

/**
 * The documents of the current release. Each operation becomes the text that Apollo Client sends for it: its fragments after it, printed
 * by graphql-js, with `__typename` in every nested selection set. Its id is the SHA-256 of that text. Manifests are taken as they are,
 * because only the tools that wrote them know what their clients send.
 */
export function collectDocuments(files: readonly DocumentFile[]): CollectedDocument[] {
  const documents = parsedIn(files);
  const fragments = collectFragments(documents);
  const operations = documents
    .flatMap(({ definitions }) => definitions)
    .filter((definition) => definition.kind === 'OperationDefinition')
    .map((operation) => {
      const text = print(withTypenames(documentOf(operation, fragments)));
      return { ...placeOf(operation), id: sha256(text), text, name: operation.name?.value ?? '' };
    });
  return [
    ...operations.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...documentsInManifests(files).map((one) => ({ ...one, name: undefined })),
  ];
}

/** What would make the collected documents wrong: invalid ones, and names that do not identify an operation or a fragment. */
export function findProblems(schema: GraphQLSchema, files: readonly DocumentFile[]): Problem[] {
  const invalid = checkFiles(schema, files);
  if (invalid.length > 0) return invalid;
  const definitions = parsedIn(files).flatMap((document) => document.definitions);
  return [...findNameProblems(definitions), ...findConflicts(documentsInManifests(files))];
}

/** The documents of files and literals. Throws graphql-js's error for one that does not parse. */
function parsedIn(files: readonly DocumentFile[]): DocumentNode[] {
  const texts = files.filter(({ path }) => !isManifest(path)).flatMap(documentsIn);
  return texts.map(({ path, text }) => parse(new Source(text, path)));
}

/** Clients find ids by the names of operations, and spread fragments of other files by their names. */
function findNameProblems(definitions: readonly DefinitionNode[]): Problem[] {
  const firsts = new Map<string, Place>();
  return definitions.flatMap((definition) => {
    if (definition.kind !== 'OperationDefinition' && definition.kind !== 'FragmentDefinition') return [];
    const place = placeOf(definition);
    const { name } = definition as { readonly name?: NameNode };
    if (name === undefined) return problemAt(place, 'Expected the operation to have a name: clients find its id by the name.');
    const key = `${definition.kind === 'FragmentDefinition' ? 'fragment' : 'operation'} ${name.value}`;
    const first = firsts.get(key) ?? place;
    firsts.set(key, first);
    return first === place ? [] : problemAt(place, `There is another ${key} in ${first.path}:${first.line}.`);
  });
}

interface Place {
  readonly path: string;
  readonly line: number;
}

function placeOf({ loc }: DefinitionNode): Place {
  return { path: loc?.source.name ?? '', line: loc?.startToken.line ?? 1 };
}

function problemAt({ path: file, line }: Place, message: string): Problem {
  return { file, line, column: 1, message };
}
