import { entriesOf } from '../../../../server/for-tools.ts';
import type { ErrorBehavior, TrustedDocumentManifest } from '../../../../server/index.ts';
import { messageOf } from '../../../../shared/index.ts';
import type { Problem } from '../../../checks/for-cli.ts';
import type { DocumentFile } from './check-documents.ts';

/** A document of a manifest, with the line of its id. */
export interface ManifestDocument extends DocumentFile {
  readonly id: string;
  readonly onError?: ErrorBehavior | undefined;
  readonly line: number;
}

/** The documents of a manifest. Throws an error if the text is not a manifest, or has two documents for an id. */
export function documentsInManifest({ path, text }: DocumentFile): ManifestDocument[] {
  const lineOf = lineFinder(text);
  return entriesOf(JSON.parse(text) as TrustedDocumentManifest).map(([id, document]) => ({
    ...document,
    path,
    id,
    line: lineOf(JSON.stringify(id)),
  }));
}

/** Finds the lines of words in their order, so that a manifest is read once, not once for each document. Any other order is line 1. */
function lineFinder(text: string): (word: string) => number {
  let offset = 0;
  let line = 1;
  return (word) => {
    const at = text.indexOf(word, offset);
    if (at < 0) return 1;
    for (let next = text.indexOf('\n', offset); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
    offset = at;
    return line;
  };
}

/** The documents of a manifest that are not valid, or why it is no manifest. */
export function checkManifest(file: DocumentFile, errorsOf: (text: string) => readonly Error[]): Problem[] {
  try {
    return documentsInManifest(file).flatMap(({ path, id, text, line }) =>
      // In a manifest, each document is a single line, so the lines inside its text are useless.
      errorsOf(text).map(({ message }) => ({ file: path, line, column: 1, message: `The document ${id} is invalid: ${message}` })),
    );
  } catch (error) {
    return [{ file: file.path, message: messageOf(error) }];
  }
}
