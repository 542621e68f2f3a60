import { entriesOf } from '../../../../server/for-tools.ts';
import type { TrustedDocument, TrustedDocumentManifest } from '../../../../server/index.ts';
import { messageOf } from '../../../../shared/index.ts';
import { positionAt } from '../../../checks/for-cli.ts';
import type { Problem } from '../../../checks/for-cli.ts';
import type { DocumentFile } from './check-documents.ts';

/** A document of a manifest. */
export interface ManifestDocument extends TrustedDocument {
  readonly id: string;
}

/** The documents of a manifest. Throws an error if the text is not a manifest, or has two documents for an id. */
export function documentsInManifest({ text }: DocumentFile): ManifestDocument[] {
  return entriesOf(JSON.parse(text) as TrustedDocumentManifest).map(([id, document]) => ({ ...document, id }));
}

/** The documents of a manifest that are not valid, or why it is no manifest. */
export function checkManifest(file: DocumentFile, errorsOf: (text: string) => readonly Error[]): Problem[] {
  try {
    return documentsInManifest(file).flatMap(({ id, text }) =>
      // In a manifest, each document is a single line, so the lines inside its text are useless.
      errorsOf(text).map(({ message }) => ({
        file: file.path,
        ...positionAt(file.text, file.text.indexOf(JSON.stringify(id))),
        message: `The document ${id} is invalid: ${message}`,
      })),
    );
  } catch (error) {
    return [{ file: file.path, message: messageOf(error) }];
  }
}
