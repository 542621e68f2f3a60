import { GraphQLSchema, Kind, OperationTypeNode, parse, print, separateOperations, subscribe, validate, versionInfo, visit } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLError, VariableDefinitionNode } from 'graphql';

import { deliver } from '../../../src/server/operation/delivery/subscribe.ts';
import { createServer } from '../../../src/server/startup/server.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { recordingLogger } from '../recording-logger.ts';
import { createInvocation, runOn } from '../run-incrementally.ts';
import { watchRejections } from '../unhandled-rejections.ts';
import { Behaviour } from './behaviour.ts';
import { Clockwork, nextTurn } from './clockwork.ts';
import { randomDocument } from './random-document.ts';
import { randomSchema } from './random-schema.ts';

/** The result of a comparison. */
export interface SubscriptionComparison {
  readonly subscriptions: number;
  readonly events: number;
  /** The numbers of subscriptions that did not start, that a failing source ended, and that the client left. */
  readonly refused: number;
  readonly failed: number;
  readonly left: number;
  readonly withErrors: number;
  readonly differences: readonly { readonly seed: number; readonly text: string; readonly expected: string; readonly actual: string }[];
  /** The number of our subscriptions that closed their source more than once. */
  readonly closedTwice: number;
  readonly unhandled: number;
}

const starts = ['throws', 'rejects', 'returns an error', 'comes later', 'is no stream', 'comes at once'] as const;
/** graphql 16 throws for what is no stream; our server answers as graphql 17. */
const comparableStarts = versionInfo.major < 17 ? starts.filter((start) => start !== 'is no stream') : starts;
const ends = ['is done', 'throws', 'rejects', 'hangs'] as const;

/** How the source and the client of a subscription behave. */
interface Course {
  readonly start: (typeof starts)[number];
  readonly events: number;
  readonly end: (typeof ends)[number];
  /** The number of events after which the client leaves. Undefined: it stays to the end. */
  readonly leavesAfter: number | undefined;
  /** Turns of the event loop for which the client waits for another event before it leaves. Undefined: it does not ask for one. */
  readonly patience: number | undefined;
  readonly hasReturn: boolean;
}

/** What the client of a subscription got. */
interface Observation {
  readonly payloads: readonly unknown[];
  readonly end: string;
  /** What the client's leaving did to the source. Undefined: the client stayed, or the source had ended: graphql 16 closes that, too. */
  readonly source: 'open' | 'closed' | undefined;
}

/** The payloads of one subscription as a client reads them. */
interface Subscription {
  next(): Promise<IteratorResult<ExecutionResult>>;
  return(): Promise<unknown>;
}

interface Scenario {
  readonly seed: number;
  readonly schema: GraphQLSchema;
  readonly text: string;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly course: Course;
}

type Start = (scenario: Scenario, context: object) => Promise<ExecutionResult | Subscription>;

/** Runs random subscriptions through our server and graphql-js's `subscribe`. The same seeds give the same subscriptions. */
export async function compareSubscriptions(firstSeed: number, count: number): Promise<SubscriptionComparison> {
  const found = { subscriptions: 0, events: 0, refused: 0, failed: 0, left: 0, withErrors: 0, closedTwice: 0 };
  const differences: SubscriptionComparison['differences'][number][] = [];
  const rejections = watchRejections();
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    for (const scenario of scenariosOf(seed)) {
      const expected = await observe(scenario, new Source(scenario), startTheirs);
      const source = new Source(scenario);
      const actual = await observe(scenario, source, startOurs);
      if (source.returns > 1) found.closedTwice++;
      found.subscriptions++;
      found.events += actual.payloads.length;
      if (actual.end === 'refused') found.refused++;
      if (actual.end.startsWith('failed')) found.failed++;
      if (actual.end === 'left') found.left++;
      if (JSON.stringify(actual.payloads).includes('"errors"')) found.withErrors++;
      const [theirs, ours] = [JSON.stringify(expected), JSON.stringify(actual)];
      const { text } = scenario;
      if (theirs !== ours) differences.push({ seed, text: `${text} ${JSON.stringify(scenario.course)}`, expected: theirs, actual: ours });
    }
  }
  await nextTurn();
  rejections.stop();
  return { ...found, differences, unhandled: rejections.count() };
}

function* scenariosOf(seed: number): Generator<Scenario> {
  const random = createRandom(seed);
  const schema = subscribable(randomSchema(random));
  for (let round = 0; round < 6; round++) {
    const { text: query, variables } = randomDocument(random, schema);
    const subscription = toSubscription(parse(query));
    const course = randomCourse(random);
    if (subscription === undefined) continue;
    const text = print(subscription);
    const document = parse(text);
    if (validate(schema, document).length === 0) yield { seed: seed * 31 + round, schema, text, document, variables, course };
  }
}

/** The first root field of the operation as a subscription, which must not skip it. Undefined: the operation has only fragments. */
function toSubscription(document: DocumentNode): DocumentNode | undefined {
  const [operation, ...fragments] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.operation !== OperationTypeNode.QUERY) return undefined;
  const field = operation.selectionSet.selections.find(({ kind }) => kind === Kind.FIELD);
  if (field === undefined) return undefined;
  const selectionSet = { kind: Kind.SELECTION_SET, selections: [{ ...field, directives: [] }] } as const;
  const subscription = { ...operation, operation: OperationTypeNode.SUBSCRIPTION, selectionSet };
  const whole = separateOperations({ kind: Kind.DOCUMENT, definitions: [subscription, ...fragments] })['Test']!;
  const used = print(visit(whole, { VariableDefinition: () => null }));
  const isUsed = ({ variable }: VariableDefinitionNode): boolean => new RegExp(`\\$${variable.name.value}\\b`).test(used);
  return visit(whole, { VariableDefinition: (definition) => (isUsed(definition) ? undefined : null) });
}

/** The schema, whose fields of queries are subscriptions, too. */
function subscribable(schema: GraphQLSchema): GraphQLSchema {
  const root = schema.getQueryType()!;
  for (const field of Object.values(root.getFields())) field.subscribe = (_source, _args, context: Source) => context.open();
  return new GraphQLSchema({ ...schema.toConfig(), subscription: root, assumeValid: true });
}

function randomCourse(random: Random): Course {
  const events = random.below(6);
  const end = random.pick(ends);
  const leaves = end === 'hangs' || random.chance(0.3);
  return {
    start: random.chance(0.15) ? random.pick(comparableStarts) : 'comes at once',
    events,
    end,
    leavesAfter: leaves ? Math.min(events, random.below(5)) : undefined,
    patience: random.chance(0.5) ? random.below(4) : undefined,
    hasReturn: random.chance(0.8),
  };
}

/** The context of a subscription, with its source. An instance of a class, because the server copies plain objects. */
class Source {
  /** The behavior of the resolvers for the event that the source has yielded last. */
  behaviour: Behaviour;
  /** The number of times the source was closed. */
  returns = 0;
  hasEnded = false;
  #event = 0;
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.behaviour = this.#behaviourOf(0);
  }

  /** What the field's `subscribe` returns or throws. */
  open(): unknown {
    const { start, hasReturn } = this.#scenario.course;
    const close = async (): Promise<IteratorResult<unknown>> => {
      this.returns++;
      return { done: true, value: undefined };
    };
    const iterator = { next: () => this.#next(), ...(hasReturn && { return: close }) };
    const stream = { [Symbol.asyncIterator]: () => iterator };
    if (start === 'throws') throw new Error('no stream');
    if (start === 'rejects') return Promise.reject(new Error('no stream'));
    if (start === 'returns an error') return new Error('no stream');
    if (start === 'is no stream') return 12;
    return start === 'comes later' ? nextTurn().then(() => stream) : stream;
  }

  #next(): Promise<IteratorResult<unknown>> {
    const { schema, course } = this.#scenario;
    if (this.#event < course.events) {
      this.behaviour = this.#behaviourOf(++this.#event);
      return Promise.resolve({ done: false, value: this.behaviour.rootObject(schema.getQueryType()!) });
    }
    this.hasEnded = course.end !== 'hangs';
    if (course.end === 'throws') throw new Error('the source threw');
    if (course.end === 'rejects') return Promise.reject(new Error('the source broke'));
    return course.end === 'hangs' ? new Promise(() => {}) : Promise.resolve({ done: true, value: undefined });
  }

  #behaviourOf(event: number): Behaviour {
    const { seed, schema } = this.#scenario;
    const wrong = createRandom(seed).pick([0.02, 0.1, 0.3]);
    return new Behaviour(seed * 101 + event, { wrong, late: 0 }, new Clockwork('sync'), schema);
  }
}

async function observe(scenario: Scenario, source: Source, start: Start): Promise<Observation> {
  const started = await start(scenario, source);
  if (!('next' in started)) return { payloads: [comparable(started)], end: 'refused', source: undefined };
  const { leavesAfter, patience } = scenario.course;
  const payloads: unknown[] = [];
  for (;;) {
    if (payloads.length === leavesAfter) {
      await leave(started, patience);
      return { payloads, end: 'left', source: source.hasEnded ? undefined : source.returns > 0 ? 'closed' : 'open' };
    }
    try {
      const { done, value } = await started.next();
      if (done === true) return { payloads, end: 'done', source: undefined };
      const failure = (value.errors ?? []).find(({ message }) => message.startsWith('the source '));
      if (failure !== undefined && value.data === undefined) return failed(payloads, failure);
      payloads.push(comparable(value));
    } catch (error) {
      return failed(payloads, error as Error);
    }
  }
}

function failed(payloads: readonly unknown[], { message }: { readonly message: string }): Observation {
  return { payloads, end: `failed: ${message}`, source: undefined };
}

/** Leaves, possibly while another event is awaited. */
async function leave(subscription: Subscription, patience: number | undefined): Promise<void> {
  if (patience !== undefined) {
    subscription.next().catch(() => {});
    for (let turn = 0; turn < patience; turn++) await nextTurn();
  }
  void subscription.return().catch(() => {});
  await nextTurn();
}

/** Without the codes that the server adds. */
function comparable({ data, errors }: ExecutionResult): object {
  const shown = errors?.map(({ message, path, locations }: Pick<GraphQLError, 'message' | 'path' | 'locations'>) => ({
    message,
    path,
    locations,
  }));
  return { data: data ?? null, ...(shown && { errors: shown }) };
}

const startTheirs: Start = async ({ schema, document, variables }, contextValue) => {
  const started = await subscribe({ schema, document, variableValues: variables, contextValue });
  return Symbol.asyncIterator in started ? (started[Symbol.asyncIterator]() as never) : started;
};

const startOurs: Start = async ({ schema, text, variables }, context) => {
  const server = createServer({ nodeEnv: 'test', logger: recordingLogger()[0], schema, context: () => context });
  const { invocation } = createInvocation();
  const delivery = { subscriptions: true, incremental: undefined, execute: deliver };
  const { result, stream } = await runOn(server, { query: text, variables, invocation, delivery });
  if (stream === undefined) return result as never;
  const next = async (): Promise<object> => {
    const { done, value } = await stream.next();
    return { done, value: done === true ? undefined : value.result };
  };
  return { next, return: () => stream.return() } as never;
};
