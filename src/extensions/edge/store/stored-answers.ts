import { getOperationAST } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import type { KeyValueCache } from '../../../datasources/index.ts';
import type { GraphQLRequest, OperationCall, OperationOutcome } from '../../../server/index.ts';
import { answerKey } from './answer-key.ts';
import { AnswerStore } from './answer-store.ts';
import type { FoundAnswer } from './answer-store.ts';
import { decideFor, notShareable } from '../decide.ts';
import type { DecisionSettings, EdgeOperation, EdgeRequest, Keeper, Shareable } from '../decide.ts';
import type { KnownDocument, KnownDocuments } from '../documents.ts';
import type { EdgeDecision } from '../options.ts';

/** The methods that the store answers: the key has the body, too. */
const methods: readonly string[] = ['GET', 'QUERY', 'POST'];

/** The dialect of the store: every tag of an entry is read again with it. The headers of `varyHeaders` are in the key. */
const dialect: Keeper['dialect'] = {
  vary: 'listed',
  // Stored answers get the media type of the request.
  keyHasAccept: false,
  tags: { header: '', separator: ',', maxTags: 50, maxLength: 256, maxTotal: 8_000 },
};

/** The settings of {@link StoredAnswers}. */
export interface StoredAnswersInput {
  readonly settings: DecisionSettings;
  readonly deploy: string;
  readonly documents: KnownDocuments;
}

/** The answers of one server in a store that all its processes share. */
export class StoredAnswers {
  readonly #store: AnswerStore;
  readonly #input: StoredAnswersInput;
  /** Undefined until the server has started. */
  schema: GraphQLSchema | undefined;

  constructor(cache: KeyValueCache, input: StoredAnswersInput) {
    this.#store = new AnswerStore(cache);
    this.#input = input;
  }

  /** Looks for the answer to an operation. Undefined: there is none, and the operation has to run. */
  async find(operation: EdgeOperation, edgeRequest: EdgeRequest, { response: head }: OperationCall): Promise<OperationOutcome | undefined> {
    const { original, readings, isExplained } = edgeRequest;
    // A report describes an operation that runs, so it never uses a stored answer.
    if (!methods.includes(original.method) || isExplained) return undefined;
    const { settings, deploy } = this.#input;
    const { request } = operation;
    if (this.#isNeverStored(request)) return undefined;
    const key = answerKey({ original, request, rules: settings.rules, deploy });
    if (key === undefined) return undefined;
    const lookup = await this.#store.look(key);
    const { hit } = lookup;
    const known = hit && this.#documentOf(hit);
    const chosen = known && getOperationAST(known.document, request.operationName);
    operation.lookup = { ...lookup, hit: chosen ? hit : undefined };
    if (hit === undefined || !chosen) return undefined;
    readings.varies = hit.varies;
    for (const [name, value] of hit.headers) head.headers.append(name, value);
    return { result: hit.result, errors: [], head, operation: chosen, document: known.document, source: hit.source };
  }

  /** Another process may have kept the answer: then its document is parsed here. Undefined: the store has damaged it. */
  #documentOf({ source }: FoundAnswer): KnownDocument | undefined {
    try {
      return this.#input.documents.read(source, this.schema!);
    } catch {
      return undefined;
    }
  }

  /** Decides whether the store may keep an answer, and keeps it in `waitUntil`. */
  keep(answer: Shareable, waitUntil: (work: Promise<void>) => void): EdgeDecision {
    const { operation, request } = answer;
    const { lookup, outcome, fields } = operation;
    // Introspection may be allowed in only some of the environments that share a store.
    if (selectsSchema(answer)) return notShareable('it contains the schema');
    // Another plugin may have removed the field from the response, but stored fields are sent with every hit.
    if (fields.some(([name]) => name === 'set-cookie')) return notShareable('it sets a cookie');
    const vary = fields.find(([name]) => name === 'vary')?.[1] ?? null;
    const decision = decideFor({ methods, dialect, vary }, answer, this.#input.settings);
    const source = outcome?.source;
    if (!decision.public || decision.hit === true || lookup === undefined || source === undefined) return decision;
    const kept = { resultJSON: JSON.stringify(outcome!.result), source, headers: fields, varies: request.readings.varies };
    const { maxAge, tags } = decision;
    waitUntil(this.#store.keep(lookup, kept, { maxAge, tags }));
    return decision;
  }

  /** True for a mutation, and for a query that is private by its hints if no resolver gives hints: no lookup is needed. */
  #isNeverStored({ query, operationName, variables }: GraphQLRequest): boolean {
    const known = this.#input.documents.get(query);
    const operation = known && getOperationAST(known.document, operationName);
    if (known === undefined || !operation) return false;
    if (operation.operation !== 'query') return true;
    const policy = this.#input.settings.hints.of({ known, operation, variables })?.policy;
    return !known.hasHinted && (policy?.scope === 'PRIVATE' || !((policy?.maxAge ?? 0) > 0));
  }

  purge(tags: readonly string[]): Promise<void> {
    return this.#store.purge(tags);
  }
}

function selectsSchema({ selection }: Shareable): boolean {
  return selection.types.some((type) => selection.fieldsFor(type).some(({ name }) => name === '__schema' || name === '__type'));
}
