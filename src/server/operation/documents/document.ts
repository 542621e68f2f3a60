import { GraphQLError, parse, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';

import { listenedChannel, markAsCopied, copyErrorForOperation, withCopiedExtensions, withoutStacks } from '../../../shared/index.ts';
import type { ChannelName, PromiseOrValue } from '../../../shared/index.ts';
import { specifiedRulesForLazySchema } from '../../../executor/schema/index.ts';
import type { KeptPlans } from '../../../executor/index.ts';
import { LRUMap } from '../../../datasources/index.ts';
import { isKnownValid, NoSchemaIntrospectionCustomRule, isGraphQL17 } from '../../../executor/index.ts';
import { measureDocument, assertFields, assertMeasurable, maxComparisons, tooManyComparisons } from '../limits/document-size.ts';
import { createError, DocumentError, withCode } from '../errors.ts';
import type { OperationHooks } from '../apollo-hooks.ts';
import type { LimitSettings } from '../limits/document-size.ts';
import { assertSource } from '../limits/nesting.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The settings for reading a document. */
export interface DocumentSettings extends LimitSettings {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentCache;
  readonly trustedDocuments: TrustedDocuments | undefined;
  /** Rules about `@defer` and `@stream`, which the fast check does not know. */
  readonly incrementalRules: readonly ValidationRule[];
  /** Rules in addition to the specified ones. */
  readonly validationRules: readonly ValidationRule[];
  /** If false, errors do not suggest names either ("Did you mean …?"), because these are names of the schema. */
  readonly introspection: boolean;
  /** With `admit`, documents are frozen. */
  readonly stages?: { readonly admit?: unknown } | undefined;
}

/** The hooks around parsing and validation. */
export type DocumentHooks = Pick<OperationHooks, 'aroundParsing' | 'aroundValidation'>;

/**
 * Source text → valid document. Returns a syntax error instead of throwing it: throwing it through all steps would take a tenth of the
 * time of the request. Throws all other errors. `operations`: those of the batch, each of which has the same share of the limits. Only valid documents are cached: errors are cheap to find again, and could fill the cache.
 */
export function loadDocument(
  settings: DocumentSettings,
  source: string,
  hooks: DocumentHooks | undefined,
  operations: number,
): PromiseOrValue<KnownDocument> | GraphQLError {
  const known = settings.documents.get(source);
  // The weight of a known document has been checked.
  if (known !== undefined && operations === 1) return known;
  const reading = { settings, source, operations };
  if (known !== undefined) return inShare(reading, known);
  if (hooks !== undefined) return readInHooks(reading, hooks);
  const document = parseDocument(reading);
  return document instanceof GraphQLError ? document : keepDocument(reading, document, validateDocument(reading, document));
}

interface Reading {
  readonly settings: DocumentSettings;
  readonly source: string;
  readonly operations: number;
}

/** A syntax error is thrown, so that the hooks see it. */
async function readInHooks(reading: Reading, hooks: DocumentHooks): Promise<KnownDocument> {
  const document = await hooks.aroundParsing(() => {
    const parsed = parseDocument(reading);
    if (parsed instanceof GraphQLError) throw parsed;
    return parsed;
  });
  let fields = 0;
  await hooks.aroundValidation(document, () => {
    fields = validateDocument(reading, document);
  });
  return keepDocument(reading, document, fields);
}

/** `fields`: the number of fields of the largest operation, with fragments expanded. */
function keepDocument(reading: Reading, document: DocumentNode, fields: number): KnownDocument {
  const known = { document, weight: Math.max(document.tokenCount ?? 0, fields), plans: { byOperation: new Map() } };
  if (reading.settings.stages?.admit !== undefined) freeze(document);
  reading.settings.documents.set(reading.source, known);
  return inShare(reading, known);
}

/** A field that a plugin writes into a document would run without being seen by `admit`. Freezes nodes and lists of nodes. */
function freeze(node: object): void {
  Object.freeze(node);
  for (const key in node) {
    const part = (node as Record<string, unknown>)[key] as { readonly kind?: unknown } | null | undefined;
    if (typeof part === 'object' && (Array.isArray(part) || part?.kind !== undefined) && !Object.isFrozen(part)) freeze(part);
  }
}

/**
 * Throws for a document that is too large for its batch. With the limit of a single request for each, a batch of ten took ten times as long
 * (1.1 s of CPU; bench/hostile.ts).
 */
function inShare({ settings: { maxTokens }, operations }: Reading, known: KnownDocument): KnownDocument {
  const share = Math.floor(maxTokens / operations);
  if (known.weight <= share) return known;
  const message = `Expected each document of a batch of ${operations} to have at most ${share} tokens, with its fragments written out, got ${known.weight}.`;
  throw createError('GRAPHQL_PARSE_FAILED', message);
}

function parseDocument({ settings: { maxTokens }, source, operations }: Reading): DocumentNode | GraphQLError {
  // The parser is recursive: deep nesting would overflow the stack.
  assertSource(source, maxTokens);
  try {
    return parseWithoutStack(source, Math.floor(maxTokens / operations));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return markAsCopied(withCode(error, 'GRAPHQL_PARSE_FAILED'));
  }
}

/**
 * Maximum length of a document whose errors have locations. graphql-js counts the lines of the whole text for each node of each error:
 * 4 ms for 100 KB of line breaks, for each of a hundred errors.
 */
const maxLocated = 16_384;

/**
 * The maximum number of errors, the same as in the Golden Path. With graphql-js's hundred, a batch of ten took 500 ms, and invalid values
 * of an enum with 500 values, each compared with all of them, 100 ms.
 */
const maxErrors = 20;

/**
 * The stack trace of a syntax error shows only the parser, is useless, and takes 10 of the 22 µs of such a request, which any client can
 * send.
 */
function parseWithoutStack(source: string, maxTokens: number): DocumentNode {
  return withoutStacks(() =>
    tracedBefore17('parse', { source }, () => parse(source, { maxTokens, noLocation: source.length > maxLocated })),
  );
}

/** Throws for a document that is not valid or exceeds a limit. Returns the fields of its largest operation, with fragments expanded. */
function validateDocument({ settings, source, operations }: Reading, document: DocumentNode): number {
  const { trustedDocuments: trusted, introspection } = settings;
  const schema = trusted?.withText(source) === undefined ? settings.schema : trusted.schema();
  const size = measureDocument(document, settings.maxTokens);
  assertMeasurable(settings, document, size);
  if (size.comparisons > maxComparisons / operations) throw tooManyComparisons(maxComparisons / operations);

  const rules = rulesFor(settings, document);
  const options = { hideSuggestions: !introspection, maxErrors } as object;
  const errors =
    rules.length === 0
      ? traced('validate', { schema, document }, () => [])
      : tracedBefore17('validate', { schema, document }, () => validate(schema, document, rules, options));
  if (errors.length > 0) {
    const copies = errors.map(copyValidationError);
    const shown = introspection ? copies : copies.map(withoutSuggestion);
    throw new DocumentError(shown.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')));
  }
  assertFields(settings, size);
  return Math.max(...size.operations.values());
}

/** graphql-js's rules create a new error each time. A user's rule or a scalar may throw the same one for every document. */
function copyValidationError(error: GraphQLError): GraphQLError {
  return error.nodes === undefined ? copyErrorForOperation(error) : withCopiedExtensions(error);
}

/** Runs a function and publishes it on the tracing channel, if anyone listens. */
function traced<T>(name: ChannelName, context: object, run: () => T): T {
  const channel = listenedChannel(name);
  return channel === undefined ? run() : channel.traceSync(run, context);
}

/** Runs a function that graphql 17 itself publishes, and publishes it with graphql 16. */
function tracedBefore17<T>(name: ChannelName, context: object, run: () => T): T {
  return isGraphQL17 ? run() : traced(name, context, run);
}

/** The rules to run. A document that passes the fast check contains no introspection, so that rule is skipped, too. */
function rulesFor(
  { schema, incrementalRules, validationRules, introspection }: DocumentSettings,
  document: DocumentNode,
): readonly ValidationRule[] {
  if (isKnownValid(schema, document)) return validationRules;
  return [
    ...specifiedRulesForLazySchema,
    ...incrementalRules,
    ...validationRules,
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
  ];
}

/** Removes a suggestion in graphql 16, which lacks the option `hideSuggestions`. */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (isGraphQL17) return error;
  // The suggestion is the end of the message. A regular expression would take a minute for 1 MiB of a client's text that contains these words.
  const at = error.message.endsWith('?') ? error.message.lastIndexOf(' Did you mean ') : -1;
  if (at === -1) return error;
  const message = error.message.slice(0, at);
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, originalError, extensions });
}

/**
 * Estimates of the heap that a document takes, including a plan of as many fields as it has tokens: measured with graphql 17 on Node 24
 * for a dozen shapes in a full cache. A token with its node takes 240 to 650 bytes, a character 1 or 2, a document with one field 4 KB.
 */
const bytesPerDocument = 2000;
const bytesPerToken = 650;
const bytesPerCharacter = 2;
/** For each field or selection that is planned beyond the number of tokens: 150 to 300 bytes without arguments, more with them. */
const bytesPerPlanned = 400;
/** The part of the cache that the plans of one document may take beyond their tokens. */
const maxShareOfPlans = 1 / 4;

/** A valid document, and what has been computed for it. */
export interface KnownDocument {
  readonly document: DocumentNode;
  /** The number of its tokens, or of its fields with fragments expanded, whichever is larger. */
  readonly weight: number;
  /** The plans of the document's operations, which count in the cache. */
  readonly plans: KeptPlans;
}

/** Valid documents by their text, limited by an estimate of their heap. The least recently used are evicted first. */
export class DocumentCache {
  readonly #entries: LRUMap<{ readonly source: string; readonly known: KnownDocument }>;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#entries = new LRUMap({ maxSize: maxBytes, now: Date.now });
    this.#maxBytes = maxBytes;
  }

  get(source: string): KnownDocument | undefined {
    const entry = this.#entries.get(source.length < hashedLength ? source : keyOf(source));
    return entry?.source === source ? entry.known : undefined;
  }

  set(source: string, known: KnownDocument): void {
    const tokens = known.document.tokenCount ?? source.length / 2;
    const size = bytesPerDocument + bytesPerToken * tokens + bytesPerCharacter * source.length;
    const key = keyOf(source);
    if (size > this.#maxBytes || this.#entries.get(key)?.source === source) return;
    const entry = { source, known };
    let planned = 0;
    const takeRoom = (added: number): boolean => {
      // The plans of a document that has been evicted may still be running.
      if (this.#entries.get(key) !== entry) return true;
      const beyond = bytesPerPlanned * Math.max(0, planned + added - tokens);
      if (added > 0 && beyond > this.#maxBytes * maxShareOfPlans) return false;
      planned += added;
      this.#entries.set(key, entry, { size: size + beyond, ttl: Infinity });
      return true;
    };
    known.plans.takeRoom = takeRoom;
    this.#entries.set(key, entry, { size, ttl: Infinity });
  }
}

/**
 * The text itself; for a long text its length, its end and a sample of its characters. From 16,384 characters on V8 hashes only the length
 * of a string, so a new document would be compared with all others of its length, which took longer than validating it. Of two documents
 * with the same key, the later one is kept.
 */
function keyOf(source: string): string {
  const { length } = source;
  if (length < hashedLength) return source;
  let key = `${length} ${source.slice(-sampled)} `;
  for (let at = 0; at < length; at += Math.ceil(length / sampled)) key += source[at]!;
  return key;
}

const hashedLength = 16_384;
const sampled = 64;
