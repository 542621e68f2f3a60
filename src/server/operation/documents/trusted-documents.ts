import { parse, validate } from 'graphql';
import type { DocumentNode, GraphQLDirective, GraphQLError, GraphQLSchema } from 'graphql';

import { viewWithDirectives } from '../../../executor/schema/index.ts';
import { cut, isRecord, describe } from '../../../shared/index.ts';
import { errorBehaviors } from '../errors.ts';
import type { ErrorBehavior } from '../types.ts';

/**
 * The documents that clients may send by id: Apollo's operation manifest, or an object of texts by id, as written by Relay's
 * `persistConfig` and GraphQL Code Generator's client preset. An object in place of a text also says what errors do.
 */
export type TrustedDocumentManifest = ApolloOperationManifest | Readonly<Record<string, string | TrustedDocument>>;

/** A trusted document with settings. */
export interface TrustedDocument {
  readonly text: string;
  /** The effect of errors on the response if the request names none. Experimental. Default: PROPAGATE. */
  readonly onError?: ErrorBehavior;
  /**
   * true: its operation has a newer document, as `graphql-functions documents` has found. Clients still send its id, but it is no route
   * and no tool. Default: false
   */
  readonly isReplaced?: boolean;
}

/** A trusted document as plugins see it: parsed once for all of them, when one of them asks. */
export interface CheckedDocument extends TrustedDocument {
  /** Throws for a text that does not parse. */
  readonly document: DocumentNode;
  /** Why the document does not parse, or is not valid for the schema. */
  readonly errors: readonly GraphQLError[];
}

export type CheckedDocuments = readonly (readonly [id: string, document: CheckedDocument])[];

function checked(trusted: TrustedDocument, schema: () => GraphQLSchema): CheckedDocument {
  let document: DocumentNode | undefined;
  let errors: readonly GraphQLError[] | undefined;
  return {
    ...trusted,
    get document() {
      return (document ??= parse(trusted.text));
    },
    get errors() {
      return (errors ??= errorsIn(schema(), () => this.document));
    },
  };
}

/** Why a document does not parse, or is not valid. */
export function errorsIn(schema: GraphQLSchema, read: () => DocumentNode): readonly GraphQLError[] {
  try {
    return validate(schema, read());
  } catch (error) {
    return [error as GraphQLError];
  }
}

/** The file that `@apollo/generate-persisted-query-manifest` writes. */
export interface ApolloOperationManifest {
  readonly format: 'apollo-persisted-query-manifest';
  readonly version: number;
  readonly operations: readonly {
    readonly id: string;
    readonly body: string;
    readonly name?: string;
    readonly type?: string;
    /** Apollo's manifests do not have this: see {@link TrustedDocument}. */
    readonly onError?: ErrorBehavior;
  }[];
}

/** Option `trustedDocuments`. */
export interface TrustedDocumentOptions {
  /** The documents, by their ids: a manifest, or a list of manifests, for clients of several kinds or releases. */
  readonly documents: TrustedDocumentManifest | readonly TrustedDocumentManifest[];
  /** Refuse every other document. In development they run, and the response says that production refuses them. Default: false. */
  readonly only?: boolean;
}

/** Looks up trusted documents. */
export interface TrustedDocuments {
  /** True when all other documents are refused; 'in production': they run here, with a notice. */
  readonly only: boolean | 'in production';
  /** The document with this id. */
  find(id: string): TrustedDocument | undefined;
  /** All documents, with their ids. */
  entries(): CheckedDocuments;
  /** The schema for these documents: with the directives that plugins declare. */
  readonly schema: () => GraphQLSchema;
  /** The document with exactly this text. */
  withText(text: string): TrustedDocument | undefined;
}

interface TrustedDocumentSettings {
  readonly schema: GraphQLSchema;
  /** The directives that plugins declare for trusted documents. */
  readonly directives: readonly GraphQLDirective[];
  readonly development: boolean;
}

/** Reads the manifests. Throws a TypeError if the format of one is unknown, or if an id has two documents. */
export function createTrustedDocuments(
  { documents, only = false }: TrustedDocumentOptions,
  { schema: defined, directives, development }: TrustedDocumentSettings,
): TrustedDocuments {
  const byId = new Map(entriesOf(documents));
  let published: CheckedDocuments | undefined;
  let view: GraphQLSchema | undefined;
  const schema = (): GraphQLSchema => (view ??= viewWithDirectives(defined, directives));
  const byText = new Map(Array.from(byId.values(), (document) => [document.text, document]));
  return {
    only: only && development ? 'in production' : only,
    // Some clients prefix the algorithm, "sha256:…", as the GraphQL over HTTP draft's appendix on persisted documents proposes.
    find: (id) => byId.get(id) ?? byId.get(id.replace(/^sha256:/, '')),
    entries: () => (published ??= Array.from(byId, ([id, one]) => [id, checked(one, schema)])),
    schema,
    withText: (text) => byText.get(text),
  };
}

/** Returns the documents of one or several manifests by id. Throws a TypeError if a format is unknown, or if an id has two documents. */
export function entriesOf(documents: TrustedDocumentOptions['documents']): [id: string, document: TrustedDocument][] {
  const name = 'trustedDocuments.documents';
  const manifests = Array.isArray(documents)
    ? (documents as readonly TrustedDocumentManifest[]).map((one, at) => [`${name}[${at}]`, one] as const)
    : ([[name, documents as TrustedDocumentManifest]] as const);
  const byId = new Map<string, { readonly document: TrustedDocument; readonly shown: string }>();
  for (const [manifest, one] of manifests) {
    for (const [id, document] of entriesOfOne(one, manifest)) {
      const { text, onError } = document;
      const known = byId.get(id);
      const shown = `${JSON.stringify(cut(text, 100))}${onError === undefined ? '' : ` with onError ${onError}`} in ${manifest}`;
      if (known !== undefined && (known.document.text !== text || known.document.onError !== onError))
        throw new TypeError(`Expected one document for the id ${JSON.stringify(cut(id, 100))}, got ${known.shown} and ${shown}.`);
      // A document that one client has replaced may be the newest of another.
      if (known === undefined || known.document.isReplaced) byId.set(id, { document, shown });
    }
  }
  return Array.from(byId, ([id, { document }]) => [id, document]);
}

function entriesOfOne(manifest: TrustedDocumentManifest, name: string): readonly [id: string, document: TrustedDocument][] {
  const entries = isRecord(manifest) ? readManifest(manifest) : undefined;
  const wrong = entries?.find((entry) => !isEntry(entry));
  if (entries !== undefined && wrong === undefined) return entries;
  const [id] = (wrong ?? []) as readonly unknown[];
  const wrongEntry =
    typeof id === 'string' ? `something else for the id ${JSON.stringify(cut(id, 100))}` : `an operation with the id ${describe(id)}`;
  throw new TypeError(
    `Expected ${name} to be an Apollo operation manifest, { operations: [{ id, body }] }, or texts by id, ` +
      `{ "<id>": "query …" } or { "<id>": { text, onError } }, or a list of these, got ${wrong === undefined ? describe(manifest) : wrongEntry}.`,
  );
}

function readManifest(manifest: TrustedDocumentManifest): readonly [id: string, document: TrustedDocument][] {
  if ('operations' in manifest && Array.isArray(manifest.operations))
    return (manifest as ApolloOperationManifest).operations.map(({ id, body: text, onError }) => [
      id,
      { text, ...(onError && { onError }) },
    ]);
  const texts = manifest as Readonly<Record<string, string | TrustedDocument>>;
  return Object.entries(texts).map(([id, one]) => [id, typeof one === 'string' ? { text: one } : one]);
}

function isEntry([id, document]: readonly [unknown, unknown]): boolean {
  if (typeof id !== 'string' || !isRecord(document) || typeof document['text'] !== 'string') return false;
  const { onError = errorBehaviors[0], isReplaced = false } = document;
  return errorBehaviors.includes(onError as ErrorBehavior) && typeof isReplaced === 'boolean';
}
