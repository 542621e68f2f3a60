import { parse, separateOperations, Source } from 'graphql';
import type { DocumentNode } from 'graphql';

import { entriesOf } from '../../../server/for-tools.ts';
import type { ServerOptions } from '../../../server/index.ts';
import type { BuildArtifact } from '../../../executor/schema/index.ts';
import { buildFileOf, readBuildDocuments } from '../project/build-sources.ts';
import { collectFragments, withFragments } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';
import { documentsInManifests, isManifest } from '../project/documents/known-documents.ts';
import type { KnownOperation } from './find-changes.ts';

/** Where a project's operations are. */
export interface OperationSources {
  /** The files of the command line, with one entry for each literal in code. */
  readonly files: readonly DocumentFile[];
  readonly options: ServerOptions;
  /** The builds that the function imports, by file. */
  readonly builds: ReadonlyMap<string, BuildArtifact>;
  readonly directory: string;
}

/** The operations in files, in the documents of the build, and the trusted documents. */
export async function findKnownOperations({ files, options, builds, directory }: OperationSources): Promise<KnownOperation[]> {
  const build = builds.get(buildFileOf(options) ?? '');
  const built = await readBuildDocuments(build?.from.documents ?? [], directory);
  const trusted = options.trustedDocuments === undefined ? [] : entriesOf(options.trustedDocuments.documents);
  return [
    ...operationsIn([...files, ...built.filter(({ path }) => !isManifest(path))]),
    ...documentsInManifests(built).flatMap((document) => operationsIn([document])),
    ...trusted.flatMap(([id, { text }]) => operationsIn([{ path: `trusted document ${id}`, text }])),
  ];
}

/** Operations may use the fragments of all files. */
function operationsIn(files: readonly DocumentFile[]): KnownOperation[] {
  const documents = files.flatMap(({ path, text }) => parsed(path, text));
  const fragments = collectFragments(documents.map(({ document }) => document));
  return documents.flatMap(({ path, document }) =>
    Object.entries(separateOperations(withFragments(document, fragments))).map(([name, operation]) => ({
      label: name === '' ? path : `${name} (${path})`,
      document: operation,
    })),
  );
}

/** Parses a text. Returns nothing for a syntax error, which `check` has reported. */
function parsed(path: string, text: string): { path: string; document: DocumentNode }[] {
  try {
    return [{ path, document: parse(new Source(text, path)) }];
  } catch {
    return [];
  }
}
