import { getOperationAST, parse } from 'graphql';

import type { CheckedDocument, OperationCall, OperationOutcome, ServerStartContext } from '../../../server/index.ts';
import { answerKey } from './answer-key.ts';
import type { AnswerStore } from './answer-store.ts';
import { decideFor, notShareable } from '../decide.ts';
import type { EdgeOperation, EdgeRequest, Keeper, Shareable } from '../decide.ts';
import type { EdgeDecision } from '../options.ts';
import type { OperationHints } from '../schema-hints.ts';
import type { TagSettings } from '../tags.ts';
import { explainHeader } from '../watched-request.ts';

/** The methods that the store answers: the key has the body, too. */
const methods: readonly string[] = ['GET', 'QUERY', 'POST'];

/** The dialect of the store: every tag of an entry is read again with it. The headers of `varyHeaders` are in the key. */
const dialect: Keeper['dialect'] = {
  vary: 'listed',
  // Stored answers get the media type of the request.
  keyHasAccept: false,
  tags: { header: '', separator: ',', maxTags: 50, maxLength: 256, maxTotal: 8_000 },
};

/** The most documents that are remembered because their answers are not stored. */
const maxUnstored = 1_000;

/** The answers of one server in a store that all its processes share. */
export class StoredAnswers {
  readonly #store: AnswerStore;
  readonly #settings: TagSettings;
  readonly #trusted: ServerStartContext['trustedDocuments'];
  /** Trusted documents by their texts. Undefined until the first hit. */
  #byText: ReadonlyMap<string, CheckedDocument> | undefined;
  /** Mutations, and queries that are private by their hints: by text, hash or id. No lookup is needed. The oldest are dropped first. */
  readonly #unstored = new Set<string>();

  constructor(store: AnswerStore, settings: TagSettings, trustedDocuments: ServerStartContext['trustedDocuments']) {
    this.#store = store;
    this.#trusted = trustedDocuments;
    this.#settings = settings;
  }

  /** Looks for the answer to an operation. Undefined: there is none, and the operation has to run. */
  async find(
    operation: EdgeOperation,
    { call, rules, readings }: EdgeRequest,
    head: OperationCall['response'],
  ): Promise<OperationOutcome | undefined> {
    const { request: original } = call;
    const { request } = operation;
    // Answers of a door without parameters are not kept.
    if (call.doorParameters === undefined || !methods.includes(original.method)) return undefined;
    // A report describes an operation that runs, so it never uses a stored answer.
    if (original.headers.has(explainHeader) || this.#unstored.has(nameOf(operation))) return undefined;
    const key = answerKey(call, request, rules, this.#settings.deploy!);
    if (key === undefined) return undefined;
    const lookup = await this.#store.look(key);
    const found = lookup.hit && this.#outcomeOf(lookup.hit, request.operationName, head);
    operation.lookup = found === undefined ? { ...lookup, hit: undefined } : lookup;
    if (found === undefined) return undefined;
    readings.varies = lookup.hit!.varies;
    for (const [name, value] of lookup.hit!.headers) head.headers.append(name, value);
    return found;
  }

  /** Remembers whether answers of this document may be stored. */
  note(operation: EdgeOperation, hints: OperationHints | undefined): void {
    const name = nameOf(operation);
    this.#unstored.delete(name);
    const { outcome, resolverHints } = operation;
    const isQuery = outcome?.operation?.operation === 'query';
    const isPrivate = resolverHints?.isEmpty !== false && (hints?.policy.scope === 'PRIVATE' || !((hints?.policy.maxAge ?? 0) > 0));
    if (outcome?.operation === undefined || (isQuery && !isPrivate) || name.length > 10_000) return;
    this.#unstored.add(name);
    const [oldest] = this.#unstored;
    if (this.#unstored.size > maxUnstored) this.#unstored.delete(oldest!);
  }

  /** Decides whether the store may keep an answer, and keeps it in `waitUntil`. */
  keep(answer: Shareable): EdgeDecision {
    const { operation, request, hints } = answer;
    const { lookup, outcome, fields } = operation;
    // Introspection may be allowed in only some of the environments that share a store.
    if (hints.root.fieldNames.some((name) => name === '__schema' || name === '__type')) return notShareable('it contains the schema');
    // Another plugin may have removed the field from the response, but stored fields are sent with every hit.
    if (fields.some(([name]) => name === 'set-cookie')) return notShareable('it sets a cookie');
    const vary = fields.find(([name]) => name === 'vary')?.[1] ?? null;
    const decision = decideFor({ methods, dialect, vary }, answer, this.#settings);
    const source = outcome?.source;
    if (!decision.public || decision.hit === true || lookup === undefined || source === undefined) return decision;
    const kept = { resultJSON: JSON.stringify(outcome!.result), source, headers: fields, varies: request.readings.varies };
    request.call.invocation.waitUntil(this.#store.keep(lookup, kept, decision));
    return decision;
  }

  /** The outcome of an operation whose answer was stored. Undefined: the store has damaged its document. */
  #outcomeOf(
    { source, result }: Pick<OperationOutcome, 'result'> & { readonly source: string },
    operationName: string | undefined,
    head: OperationOutcome['head'],
  ): OperationOutcome | undefined {
    this.#byText ??= new Map(this.#trusted().map(([, one]) => [one.text, one]));
    try {
      const document = this.#byText.get(source)?.document ?? parse(source, { noLocation: true });
      const operation = getOperationAST(document, operationName);
      return operation ? { result, errors: [], head, operation, document, source } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The name of a document and an operation in it. */
function nameOf({ request: { query, documentId, extensions, operationName } }: EdgeOperation): string {
  const { sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as { readonly sha256Hash?: unknown };
  return `${operationName ?? ''} ${query ?? documentId ?? (typeof sha256Hash === 'string' ? sha256Hash : '')}`;
}
