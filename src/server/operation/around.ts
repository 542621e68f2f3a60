/** The one way in for plugins: runs work inside their stages, the first plugin outermost. */
import type { WatchCall } from '../../datasources/index.ts';
import {
  HeaderMap,
  assertSynchronous,
  copyErrorsForOperation,
  copyMutableParts,
  describe,
  isGraphQLError,
  isPromiseLike,
  isRecord,
} from '../../shared/index.ts';
import type { HTTPResponse, OperationInvocation, StreamedResponse } from '../../shared/index.ts';
import { deadlineExceeded, placed, unfinishedAtDeadline } from './errors.ts';
import type { OperationOutcome, PayloadOutcome } from './types.ts';
import type { RequestCall } from './door.ts';
import type { DocumentOutcome, OperationCall, OperationExecution, OperationInContext, ServerPlugin, StageName } from './plugin.ts';

type Response = HTTPResponse | StreamedResponse;

/** The work that a stage wraps. */
export interface Wrapped<TSubject, TOutcome> {
  /** Must not reject. */
  readonly run: (subject: TSubject) => Promise<TOutcome>;
  readonly invocation: Pick<OperationInvocation, 'untilLate'>;
  /** Makes the outcome when a stage throws. `running`: the promise of `next`, if it was called; `inner`: its value, if it has arrived. */
  readonly fail: (thrown: unknown, inner: TOutcome | undefined, running: Promise<TOutcome> | undefined) => Promise<TOutcome>;
  /** Takes the argument of `next`, and returns the subject of the stages inside. Default: the same. */
  readonly pass?: (subject: TSubject, given?: never) => TSubject;
}

/** A stage of all plugins. Never rejects. */
export type Stage<TSubject, TOutcome> = (subject: TSubject, wrapped: Wrapped<TSubject, TOutcome>) => Promise<TOutcome>;

/** The stages of all plugins. Each is undefined if no plugin has it. */
export interface Stages {
  readonly request: Stage<RequestCall, Response> | undefined;
  readonly operation: Stage<OperationCall, OperationOutcome> | undefined;
  readonly document: Stage<OperationInContext, DocumentOutcome> | undefined;
  readonly admit: NonNullable<ServerPlugin['admit']> | undefined;
  readonly execution: Stage<OperationExecution, OperationOutcome> | undefined;
  readonly payload: Stage<OperationExecution, PayloadOutcome | undefined> | undefined;
  readonly sourceCall: ((operation: OperationCall) => WatchCall) | undefined;
  readonly encode: NonNullable<ServerPlugin['encode']> | undefined;
}

/** Returns the response with an encoded body. */
export type EncodeBody = NonNullable<ReturnType<NonNullable<ServerPlugin['encode']>>>;

/** `plugins`: as in the list. Undefined if none has a stage: then no record is made for plugins. */
export function createStages(plugins: readonly ServerPlugin[]): Stages | undefined {
  const stages: Stages = {
    request: stageOf('request', plugins),
    operation: stageOf('operation', plugins),
    document: stageOf('document', plugins),
    admit: createAdmit(plugins),
    execution: stageOf('execution', plugins),
    payload: stageOf('payload', plugins),
    sourceCall: createWatch(plugins),
    encode: createEncode(plugins),
  };
  return Object.values(stages).some((stage) => stage !== undefined) ? stages : undefined;
}

/**
 * Plugins that only watch, so that they see what is sent, and then the others; of each, first those in the position 'first'. Those in the
 * position 'last' follow, and else the order is that of the list. Without a stage: the order of their other members.
 */
export function inOrder(plugins: readonly ServerPlugin[], stage?: StageName): readonly ServerPlugin[] {
  const rankOf = ({ position: given, onlyWatches }: ServerPlugin): number => {
    const position = typeof given === 'object' ? stage && given[stage] : given;
    return (position === 'last' ? 4 : position === 'first' ? 0 : 1) + (onlyWatches === true ? 0 : position === 'last' ? 1 : 2);
  };
  return plugins.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The name of a plugin in messages: its own, or its place in the list. */
function nameOf(plugin: ServerPlugin, plugins: readonly ServerPlugin[]): string {
  return plugin.once ?? `plugins[${plugins.indexOf(plugin)}]`;
}

/** Calls the members one after the other, and returns a promise only if one of them does. */
function createAdmit(plugins: readonly ServerPlugin[]): Stages['admit'] {
  const members = inOrder(plugins, 'admit').filter((plugin) => plugin.admit !== undefined);
  const admitFrom = (at: number, execution: OperationExecution): Promise<void> | void => {
    const plugin = members[at];
    if (plugin === undefined) return;
    const work = inPlace(`admit of ${nameOf(plugin, plugins)}`, () => plugin.admit!(execution));
    return isPromiseLike(work) ? work.then(() => admitFrom(at + 1, execution)) : admitFrom(at + 1, execution);
  };
  return members.length === 0 ? undefined : (execution) => admitFrom(0, execution);
}

/** Calls a member of a plugin. Remembers where what it throws was thrown. */
function inPlace<T>(place: string, call: () => T | Promise<T>): T | Promise<T> {
  const fail = (thrown: unknown): never => {
    throw placed(thrown, place);
  };
  try {
    const value = call();
    return isPromiseLike(value) ? Promise.resolve(value).catch(fail) : value;
  } catch (thrown) {
    return fail(thrown);
  }
}

/** The stage of one plugin. */
interface PluginStage<TSubject, TOutcome> {
  readonly name: Exclude<StageName, 'admit'>;
  /** For messages: "the stage request of plugins[0]". */
  readonly place: string;
  readonly onlyWatches: boolean;
  readonly enter: (subject: TSubject, next: (given?: never) => Promise<TOutcome>) => Promise<TOutcome>;
}

function stageOf<TSubject extends object, TOutcome extends object | undefined>(
  name: Exclude<StageName, 'admit'>,
  plugins: readonly ServerPlugin[],
): Stage<TSubject, TOutcome> | undefined {
  const stages = inOrder(plugins, name).flatMap((plugin): PluginStage<TSubject, TOutcome>[] => {
    const place = `the stage ${name} of ${nameOf(plugin, plugins)}`;
    const enter = plugin[name]?.bind(plugin) as PluginStage<TSubject, TOutcome>['enter'] | undefined;
    return enter === undefined ? [] : [{ name, place, onlyWatches: plugin.onlyWatches === true, enter }];
  });
  if (stages.length === 0) return undefined;
  return (subject, wrapped) => enterStage(stages, subject, wrapped);
}

/**
 * Enters the stages, the first outermost. If one throws or hangs, those around it get that as the outcome. If it hangs after `next`, the outcome
 * inside is sent only for plugins that only watch: otherwise a client could skip a plugin that filters answers with a slow field.
 */
async function enterStage<TSubject extends object, TOutcome extends object | undefined>(
  [stage, ...inside]: readonly PluginStage<TSubject, TOutcome>[],
  subject: TSubject,
  wrapped: Wrapped<TSubject, TOutcome>,
): Promise<TOutcome> {
  if (stage === undefined) return wrapped.run(subject);
  const { name, place, onlyWatches, enter } = stage;
  const { invocation, fail, pass } = wrapped;
  let running: Promise<TOutcome> | undefined;
  let inner: TOutcome | undefined;
  /** An outcome may be undefined: that of a stream's end. */
  let hasEnded = false;
  let mistake: Error | undefined;
  const continueOnce = async (given?: never): Promise<TOutcome> => {
    if (running !== undefined) mistake ??= new Error(`Expected ${place} to call next() once, but it called it twice.`);
    else if (pass !== undefined && given !== undefined && !isRecord(given))
      mistake = new TypeError(`Expected ${place} to call next() with an object or nothing, got ${describe(given)}.`);
    if (mistake !== undefined) throw mistake;
    running = enterStage(inside, pass === undefined ? subject : pass(subject, given), wrapped);
    inner = await running;
    hasEnded = true;
    return inner;
  };
  const next = (given?: never): Promise<TOutcome> => {
    const continued = continueOnce(given);
    // The plugin may not wait for it, and a rejection that nobody handles ends the process.
    continued.catch(() => {});
    return continued;
  };
  try {
    const working = Promise.resolve(enter(subject, next));
    const atLastMoment = (): Promise<TOutcome> =>
      onlyWatches && running !== undefined ? running : Promise.race([working, giveUpAfter(running, name)]);
    const outcome = await invocation.untilLate(working, atLastMoment);
    if (mistake !== undefined) throw mistake;
    const isInner = hasEnded && outcome === inner;
    if (isInner && outcome === undefined) return outcome;
    // A plugin may have changed it in place.
    assertOutcome(outcome, name, place);
    return isInner ? outcome : copyAnswer(outcome, inner, subject);
  } catch (thrown) {
    return fail(placed(thrown, place), inner, running);
  }
}

/** Statuses without a body (Fetch standard, "null body status"): the web's `Response` would throw for one. */
export const bodiless: ReadonlySet<unknown> = new Set([204, 205, 304]);

type Members = Readonly<Record<string, (value: unknown, outcome: Readonly<Record<string, unknown>>) => boolean>>;
type Shape = readonly [words: string, members: Members];

const hasNext = (value: unknown): boolean => typeof (value as Partial<AsyncIterator<unknown>> | null | undefined)?.next === 'function';
const areErrors = (value: unknown): boolean => Array.isArray(value) && value.every(isGraphQLError);
const ofResult: Members = { result: isRecord, errors: areErrors };
const ofOperation: Shape = [
  'the outcome of next() or { ...outcome, result, errors }',
  {
    ...ofResult,
    head: (value) => isRecord(value) && isRecord(value['headers']),
    stream: (value) => value === undefined || hasNext(value),
  },
];

/** The members that the outcome of each stage must have. */
const shapes: Readonly<Record<Exclude<StageName, 'admit'>, Shape>> = {
  request: [
    'a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require',
    {
      headers: isRecord,
      body: (value, { status }) =>
        value === null || value === '' || (!bodiless.has(status) && (typeof value === 'string' || hasNext(value))),
    },
  ],
  operation: ofOperation,
  document: ['the outcome of next() or { ...outcome, errors }', { errors: areErrors }],
  execution: ofOperation,
  payload: ['the outcome of next() or { result, errors }', ofResult],
};

/** Plugins can return anything, also what a platform could not send. */
export function assertOutcome(outcome: unknown, name: keyof typeof shapes, place: string): void {
  const [words, members] = shapes[name];
  const refuse = (got: string): never => {
    throw new TypeError(`Expected ${place} to return ${words}, got ${got}.`);
  };
  // A web Response has headers and a body, too.
  if (!isRecord(outcome) || 'arrayBuffer' in outcome) return refuse(describe(outcome));
  for (const [member, holds] of Object.entries(members))
    if (!holds(outcome[member], outcome)) refuse(`one whose ${member} is ${describe(outcome[member])}`);
}

/**
 * Throws in the next turn of the event loop after what a stage wraps has ended, so that the stage can change a late answer. A timer would
 * take time from the stages around this one.
 */
async function giveUpAfter(running: unknown, name: StageName): Promise<never> {
  await Promise.allSettled([running]);
  await new Promise<void>((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve));
  // A plugin around the request may have run operations without `next`.
  throw running === undefined && name !== 'request' ? deadlineExceeded() : unfinishedAtDeadline();
}

/** The parts of a response, and of an outcome, into which plugins and CORS write. */
type Written = Partial<Pick<HTTPResponse, 'headers'> & Pick<OperationOutcome, 'head' | 'result' | 'errors'>>;

/** Copies an answer, because a plugin may return the same one for every call, and changes for one call must not reach another. */
function copyAnswer<TAnswer>(given: TAnswer, before: unknown, subject: unknown): TAnswer {
  const answer = given as TAnswer & Written;
  const inner = (before ?? {}) as Written;
  const { headers, head, result, errors } = answer;
  const isHeadOfCall = head === undefined || head === (subject as Partial<OperationCall>).response || head === inner.head;
  const isResultOfCall = result === undefined || result === null || result === inner.result;
  return {
    ...answer,
    ...(headers !== undefined && headers !== inner.headers && { headers: HeaderMap.copyOf(headers) }),
    ...(!isHeadOfCall && { head: { ...head, headers: HeaderMap.copyOf(head.headers) } }),
    ...(!isResultOfCall && { result: copyMutableParts(result) }),
    ...(errors !== undefined && { errors: copyErrorsForOperation(errors) }),
  };
}

function createEncode(plugins: readonly ServerPlugin[]): Stages['encode'] {
  const choices = inOrder(plugins).filter((plugin) => plugin.encode !== undefined);
  if (choices.length === 0) return undefined;
  return (call) => {
    for (const plugin of choices) {
      const place = `encode of ${nameOf(plugin, plugins)}`;
      const encode = assertSynchronous(plugin.encode!(call), place);
      if (encode !== undefined)
        return async (response) => {
          const encoded = await inPlace(place, () => encode(response));
          assertOutcome(encoded, 'request', place);
          return encoded;
        };
    }
    return undefined;
  };
}

function createWatch(plugins: readonly ServerPlugin[]): Stages['sourceCall'] {
  const followers = inOrder(plugins).filter((plugin) => plugin.sourceCall !== undefined);
  if (followers.length === 0) return undefined;
  return (operation) => (dataSource, request) => {
    const call = { dataSource, request, operation };
    return {
      listeners: followers.map((plugin) => assertSynchronous(plugin.sourceCall!(call), `sourceCall of ${nameOf(plugin, plugins)}`)),
      logger: operation.call.logger,
    };
  };
}
