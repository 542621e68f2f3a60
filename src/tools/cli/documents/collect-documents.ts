import { Kind, parse, print, Source, visit } from 'graphql';
import type { DefinitionNode, DocumentNode, FieldNode, GraphQLSchema, NameNode } from 'graphql';

import { sha256 } from '../../../shared/index.ts';
import { checkDocuments, collectFragments, withFragments } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { documentsIn } from '../project/documents/embedded-operations.ts';
import type { Place, Problem } from '../../checks/for-cli.ts';

/** A document of the current release, with the place of its source. */
export interface CollectedDocument extends Place {
  readonly id: string;
  /** The name of the document's operation. */
  readonly name: string;
  readonly text: string;
}

/**
 * The documents of the current release. Each operation becomes the text that Apollo Client sends for it: its fragments after it, printed
 * by graphql-js, with `__typename` in every nested selection set. Its id is the SHA-256 of that text.
 */
export function collectDocuments(files: readonly DocumentFile[]): CollectedDocument[] {
  const documents = parsedIn(files);
  const fragments = collectFragments(documents);
  return documents
    .flatMap(({ definitions }) => definitions)
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const text = print(withTypenames(withFragments({ kind: Kind.DOCUMENT, definitions: [operation] }, fragments)));
      return { ...placeOf(operation), id: sha256(text), text, name: operation.name?.value ?? '' };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Finds invalid documents, and names that do not identify one operation or one fragment. */
export function findProblems(schema: GraphQLSchema, files: readonly DocumentFile[]): Problem[] {
  const invalid = checkDocuments(schema, files.flatMap(documentsIn));
  return invalid.length > 0 ? invalid : findNameProblems(parsedIn(files).flatMap(({ definitions }) => definitions));
}

/** Throws graphql-js's error for a text that does not parse. */
function parsedIn(files: readonly DocumentFile[]): DocumentNode[] {
  return files.flatMap(documentsIn).map(({ path, text }) => parse(new Source(text, path)));
}

const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** Adds `__typename` to the end of every nested selection set, as Apollo Client does. */
function withTypenames(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: {
      leave(node, _key, parent) {
        const isRoot = parent !== undefined && 'kind' in parent && parent.kind === Kind.OPERATION_DEFINITION;
        const isComplete = node.selections.some((one) => one.kind === Kind.FIELD && one.name.value.startsWith('__'));
        return isRoot || isComplete ? undefined : { ...node, selections: [...node.selections, typename] };
      },
    },
  });
}

/** Clients find ids by the names of operations, and spread fragments of other files by their names. */
function findNameProblems(definitions: readonly DefinitionNode[]): Problem[] {
  const firsts = new Map<string, Place>();
  return definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) return [];
    const place = placeOf(definition);
    const { name } = definition as { readonly name?: NameNode };
    if (name === undefined) return { ...place, message: 'Expected the operation to have a name: clients find its id by the name.' };
    const key = `${definition.kind === Kind.FRAGMENT_DEFINITION ? 'fragment' : 'operation'} ${name.value}`;
    const first = firsts.get(key) ?? place;
    firsts.set(key, first);
    return first === place ? [] : { ...place, message: `There is another ${key} in ${first.file}:${first.line}.` };
  });
}

function placeOf({ loc }: DefinitionNode): Place {
  return { file: loc?.source.name ?? '', line: loc?.startToken.line ?? 1, column: 1 };
}
