import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { Kind, parse } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { entriesOf } from '../../../server/for-tools.ts';
import type { ServerOptions, TrustedDocumentManifest, TrustedDocumentOptions } from '../../../server/index.ts';
import { messageOf } from '../../../shared/index.ts';
import { errorsIn } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { checkManifest, documentsInManifest, findConflicts } from '../project/documents/manifests.ts';
import type { Problem } from '../project/problem.ts';
import type { FoundPlace, SourceSearch } from '../project/source-search.ts';

/** Problems of the format of manifests, and ids with two documents; in the files of the manifests if the function imports them. */
export function findManifestProblems({ trustedDocuments }: ServerOptions, place: FoundPlace | undefined, search: SourceSearch): Problem[] {
  if (trustedDocuments === undefined) return [];
  try {
    entriesOf(trustedDocuments.documents);
    return [];
  } catch (error) {
    const files = manifestsOf(trustedDocuments, search).flatMap(({ file }) => file ?? []);
    const unreadable = files.flatMap((file) => checkManifest(file, () => []));
    const inFiles = unreadable.length > 0 ? unreadable : findConflicts(files.flatMap(documentsInManifest));
    return inFiles.length > 0 ? inFiles : [{ ...place, message: messageOf(error) }];
  }
}

/** Trusted documents that are not valid for this schema. Without a file, they belong to the option. */
export function findInvalidDocuments(options: ServerOptions, schema: GraphQLSchema, search: SourceSearch): Problem[] {
  const { trustedDocuments } = options;
  if (trustedDocuments === undefined) return [];
  const errorsOf = (text: string): readonly Error[] => errorsIn(schema, text);
  return manifestsOf(trustedDocuments, search).flatMap(({ manifest, file }) => {
    if (file !== undefined) return checkManifest(file, errorsOf);
    return entriesOf(manifest).flatMap(([id, { text }]) => {
      const [error] = errorsOf(text);
      return error === undefined ? [] : { message: `The trusted document ${id} is invalid: ${error.message}` };
    });
  });
}

/**
 * Operations of valid files that production refuses, because no trusted document has their names. Their texts are not compared: the
 * tools of clients change them.
 */
export function findUntrustedOperations({ trustedDocuments }: ServerOptions, files: readonly DocumentFile[]): Problem[] {
  if (trustedDocuments?.only !== true) return [];
  const trusted = entriesOf(trustedDocuments.documents).flatMap(([, { text }]) => operationsIn(text));
  const known = new Set(trusted.map(({ name }) => name?.value));
  return files.flatMap((file) =>
    operationsIn(file.text).flatMap(({ name, loc }) => {
      if (name === undefined || known.has(name.value)) return [];
      const message = `Production refuses the operation ${name.value}, because it is not in trustedDocuments. Add it: npx graphql-functions documents`;
      return { file: file.path, line: loc?.startToken.line, column: loc?.startToken.column, message };
    }),
  );
}

function operationsIn(text: string): OperationDefinitionNode[] {
  return parse(text).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

interface FoundManifest {
  readonly manifest: TrustedDocumentManifest;
  /** The JSON file that the function imports it from. Undefined: it is written in code. */
  readonly file: DocumentFile | undefined;
}

function manifestsOf({ documents }: TrustedDocumentOptions, { jsonFiles }: SourceSearch): FoundManifest[] {
  const files = jsonFiles.map((path) => ({ path: relative(process.cwd(), path), text: readFileSync(path, 'utf8') }));
  const manifests = Array.isArray(documents) ? (documents as readonly TrustedDocumentManifest[]) : [documents as TrustedDocumentManifest];
  return manifests.map((manifest) => ({ manifest, file: files.find(({ text }) => isDeepStrictEqual(JSON.parse(text), manifest)) }));
}
