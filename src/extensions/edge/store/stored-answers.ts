import { getOperationAST } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import type { KeyValueCache, Seconds } from '../../../cache/key-value-cache.ts';
import type { OperationCall } from '../../../operation/plugin.ts';
import type { GraphQLRequest, OperationOutcome } from '../../../operation/types.ts';
import { answerKey } from './answer-key.ts';
import { AnswerStore } from './answer-store.ts';
import type { FoundAnswer, Lookup } from './answer-store.ts';
import { isWorker, Flights } from './flights.ts';
import { decideFor, no, toDecision } from '../decide.ts';
import type { Decided, DecisionSettings, EdgeOperation, EdgeRequest, Keeper, Shareable } from '../decide.ts';
import type { KnownDocuments } from '../documents.ts';

/** The methods that may be looked up: the key has the body, too. */
const methods: readonly string[] = ['GET', 'QUERY', 'POST'];

/** The dialect of the store: every tag of an entry is read again with it. The headers of `varyHeaders` are in the key. */
const dialect: Keeper['dialect'] = {
  vary: 'listed',
  tags: { header: '', separator: ',', maxTags: 50, maxLength: 256, maxTotal: 8_000 },
};

/** The settings of {@link StoredAnswers}. */
export interface StoredAnswersInput {
  readonly settings: DecisionSettings;
  readonly deploy: string;
  readonly staleWhileRevalidate: Seconds | undefined;
  readonly documents: KnownDocuments;
}

/** The answers of one server in a store that all its processes share. */
export class StoredAnswers {
  readonly #store: AnswerStore;
  readonly #flights = new Flights();
  readonly #input: StoredAnswersInput;
  /** Undefined until the server has started. */
  schema: GraphQLSchema | undefined;

  constructor(cache: KeyValueCache, input: StoredAnswersInput) {
    this.#store = new AnswerStore(cache);
    this.#input = input;
  }

  /** Looks for the answer to an operation. Undefined: there is none, and the operation has to run. */
  async find(
    operation: EdgeOperation,
    { asked, readings, isExplained }: EdgeRequest,
    { response: head, requestIsBatched: isBatched, http }: OperationCall,
  ): Promise<OperationOutcome | undefined> {
    // A report describes an operation that runs.
    if (!methods.includes(asked.method) || isExplained) return undefined;
    const { settings, deploy } = this.#input;
    const { request } = operation;
    if (this.#isHopeless(request)) return undefined;
    const key = answerKey({ asked, request, rules: settings.rules, deploy });
    if (key === undefined) return undefined;
    const lookup = await this.#store.look(key);
    const hit =
      lookup.hit ?? (isBatched || isWorker ? undefined : await this.#fromOthers(operation, lookup, http.invocation.deadlineLeft()));
    operation.lookup = { ...lookup, hit };
    // Another process may have kept the answer: this process has not parsed its document yet.
    const known = hit && this.#input.documents.read(hit.source, this.schema);
    const chosen = known && getOperationAST(known.document, request.operationName);
    if (hit === undefined || !chosen) return undefined;
    readings.varies = hit.varies;
    for (const [name, value] of hit.headers) head.headers.append(name, value);
    return { result: hit.result, errors: [], head, operation: chosen, source: hit.source };
  }

  /** The answer of an equal operation that is under way. While one operation makes an answer anew, the others get the last answer. */
  async #fromOthers(operation: EdgeOperation, { key, moment, stale }: Lookup, deadlineLeft = Infinity): Promise<FoundAnswer | undefined> {
    if (stale !== undefined && this.#flights.has(key)) return stale;
    const flight = this.#flights.of(key, moment);
    if (flight !== undefined) return this.#flights.wait(flight, deadlineLeft);
    operation.flight = this.#flights.begin(key, moment);
    return undefined;
  }

  /** Decides whether an answer may be kept here, and keeps it, as work of `waitUntil`. */
  keep(answer: Shareable, waitUntil: (work: Promise<void>) => void): Decided {
    const { operation, request } = answer;
    const { lookup, outcome, ownFields } = operation;
    // Introspection may be allowed in only some of the environments that share a store.
    if (asksForSchema(answer)) return no('it shows the schema');
    // Another plugin may have taken it off the response; stored fields go out with every hit.
    if (ownFields.some(([name]) => name === 'set-cookie')) return no('it sets a cookie');
    if (request.readings.hasAccept) return no('the header accept was read, which is not in the key of the store');
    const vary = ownFields.find(([name]) => name === 'vary')?.[1] ?? null;
    const decided = decideFor({ methods, dialect, vary }, answer, this.#input.settings);
    const source = outcome?.source;
    const decision = toDecision(decided);
    if (!decision.public || decision.hit === true || lookup === undefined || source === undefined) return decided;
    const kept = { resultJSON: JSON.stringify(outcome!.result), source, headers: ownFields, varies: request.readings.varies };
    const { maxAge, tags } = decision;
    waitUntil(this.#store.keep(lookup, kept, { maxAge, tags, stale: this.#input.staleWhileRevalidate }));
    operation.flight?.land({ ...kept, maxAge });
    return decided;
  }

  /** True for a mutation, and for a query that is private by its hints and got no hint from a resolver: the store need not be asked. */
  #isHopeless({ query, operationName, variables }: GraphQLRequest): boolean {
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

function asksForSchema({ selection }: Shareable): boolean {
  return selection.types.some((type) => selection.fieldsFor(type).some(({ name }) => name === '__schema' || name === '__type'));
}
