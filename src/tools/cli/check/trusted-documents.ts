import { Kind, parse } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { entriesOf } from '../../../server/for-tools.ts';
import type { ServerOptions, TrustedDocument } from '../../../server/index.ts';
import { findText } from '../../checks/for-cli.ts';
import type { Place, Problem } from '../../checks/for-cli.ts';
import { errorsIn } from '../project/documents/check-documents.ts';
import type { DocumentFile } from '../project/documents/check-documents.ts';

/** Trusted documents that are not valid for this schema: in their JSON file, or at the option. */
export function findInvalidDocuments(
  documents: readonly (readonly [id: string, document: TrustedDocument])[],
  schema: GraphQLSchema,
  option: Place | undefined,
): Problem[] {
  return documents.flatMap(([id, { text }]) => {
    const [error] = errorsIn(schema, text);
    if (error === undefined) return [];
    return { ...(findText(JSON.stringify(text), 0) ?? option), message: `The trusted document ${id} is invalid: ${error.message}` };
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
