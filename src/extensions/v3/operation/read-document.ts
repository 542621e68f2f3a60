import { GraphQLError } from 'graphql';
import type { DocumentNode } from 'graphql';

import { messageOf } from '../../../message/describe.ts';
import { loadDocument } from '../../../operation/documents/document.ts';
import type { DocumentHooks } from '../../../operation/documents/document.ts';
import { DocumentError, toGraphQLError } from '../../../operation/errors.ts';
import { SyntaxError, ValidationError } from '../errors/apollo-error.ts';
import { begin } from './listeners.ts';
import { Refusal } from './operation.ts';
import type { DocumentStore, Operation } from './operation.ts';

/** Sets the document: the user's store's, one that is known, or the source parsed and validated between the plugins' hooks. */
export async function readDocument(operation: Operation): Promise<void> {
  const { config, context, budget } = operation;
  const { documentStore } = config;
  const stored = documentStore ? await fromStore(documentStore, operation) : undefined;
  if (stored !== undefined) {
    context.document = stored;
    return;
  }
  const known = await loadDocument(config.documents, context.source!, hooksOf(operation), budget);
  if (known instanceof GraphQLError) throw refusalOf([known], SyntaxError);
  context.document = known.document;
  if (documentStore) keepInStore(documentStore, operation, known.document);
}

/** Plugins see graphql-js's errors as they were, without a code: the class of what is sent has one. */
function refusalOf(errors: readonly GraphQLError[], errorClass: typeof SyntaxError): Refusal {
  for (const { extensions } of errors) delete extensions['code'];
  return new Refusal(errors, errorClass);
}

async function fromStore(store: DocumentStore, { context }: Operation): Promise<DocumentNode | undefined> {
  try {
    return await store.get(context.queryHash!);
  } catch (error) {
    context.logger.warn(`An error occurred while attempting to read from the documentStore. ${messageOf(error)}`);
    return undefined;
  }
}

function keepInStore(store: DocumentStore, { context, invocation }: Operation, document: DocumentNode): void {
  const kept = Promise.resolve(store.set(context.queryHash!, document)).catch((error: unknown) =>
    context.logger.warn(`Could not store validated document. ${messageOf(error)}`),
  );
  invocation?.waitUntil(kept);
}

/** The line's two stages, with version 3's hooks and error classes around them. */
function hooksOf({ config, context, listeners }: Operation): DocumentHooks {
  return {
    aroundParsing: async (parse) => {
      const end = await begin(listeners, 'parsingDidStart', context);
      try {
        context.document = parse();
      } catch (error) {
        await end(error);
        throw refusalOf([toGraphQLError(error)], SyntaxError);
      }
      await end();
      return context.document;
    },
    aroundValidation: async (document, validate) => {
      context.document = document;
      if (config.dangerouslyDisableValidation === true) return;
      const end = await begin(listeners, 'validationDidStart', context);
      try {
        validate();
      } catch (error) {
        // A rule of the user's that fails is the server's failure, not the document's.
        if (!(error instanceof DocumentError || error instanceof GraphQLError)) throw error;
        const errors = error instanceof DocumentError ? error.errors : [error];
        await end(errors);
        throw refusalOf(errors, ValidationError);
      }
      await end();
    },
  };
}
