import { GraphQLError } from 'graphql';
import type { DocumentNode } from 'graphql';

import { messageOf } from '../../shared/index.ts';
import { DocumentError, loadDocument, toGraphQLError } from '../../server/for-v3.ts';
import type { DocumentHooks } from '../../server/for-v3.ts';
import { SyntaxError, ValidationError } from '../errors/apollo-error.ts';
import { startPhase } from './listeners.ts';
import { RefusedOperation } from './operation.ts';
import type { DocumentStore, Operation } from './operation.ts';

/** Sets the document: from the document store, from the cache, or parsed and validated with the plugins' hooks. */
export async function readDocument(operation: Operation): Promise<void> {
  const { config, context, operations } = operation;
  const { documentStore } = config;
  const stored = documentStore ? await fromStore(documentStore, operation) : undefined;
  if (stored !== undefined) {
    context.document = stored;
    return;
  }
  const known = await loadDocument(config.documents, context.source!, hooksOf(operation), operations);
  if (known instanceof GraphQLError) throw refusalOf([known], SyntaxError);
  context.document = known.document;
  operation.plans = known.plans;
  if (documentStore) keepInStore(documentStore, operation, known.document);
}

/** Plugins see the errors of graphql-js without a code; the error class adds it to what is sent. */
function refusalOf(errors: readonly GraphQLError[], errorClass: typeof SyntaxError): RefusedOperation {
  for (const { extensions } of errors) delete extensions['code'];
  return new RefusedOperation(errors, errorClass);
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

/** Parsing and validation with version 3's hooks and error classes. */
function hooksOf({ config, context, listeners }: Operation): DocumentHooks {
  return {
    aroundParsing: async (parse) => {
      const end = await startPhase(listeners, 'parsingDidStart', context);
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
      const end = await startPhase(listeners, 'validationDidStart', context);
      try {
        validate();
      } catch (error) {
        // If a custom rule fails, the server is at fault, not the document.
        if (!(error instanceof DocumentError || error instanceof GraphQLError)) throw error;
        const errors = error instanceof DocumentError ? error.errors : [error];
        await end(errors);
        throw refusalOf(errors, ValidationError);
      }
      await end();
    },
  };
}
