import { incrementalDelivery } from '../../src/entries/incremental.ts';
import type { IncrementalDeliveryOptions } from '../../src/entries/incremental.ts';
import { HeaderMap } from '../../src/shared/header-map.ts';
import type { OperationInvocation } from '../../src/shared/invocation.ts';
import { OperationLife } from '../../src/server/call.ts';
import { deliver } from '../../src/server/operation/delivery/subscribe.ts';
import type { Delivery } from '../../src/server/operation/operation.ts';
import type { PayloadStream, SubsequentPayload, OperationOutcome } from '../../src/server/operation/types.ts';
import type { Operation } from '../../src/server/operation/operation.ts';
import { runOperation } from '../../src/server/operation/run-operation.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { createServer } from '../../src/server/startup/server.ts';
import type { Server } from '../../src/server/startup/server.ts';
import { recordingLogger } from './recording-logger.ts';

type Format = NonNullable<Delivery['incremental']>;

/** Runs an operation for a client that reads several parts. */
export async function runIncrementally(
  options: ServerOptions,
  query: string,
  { format = 'current', variables, maxBytes, invocation = createInvocation().invocation, ...delivery }: IncrementalRun = {},
): Promise<OperationOutcome> {
  const [logger] = recordingLogger();
  const server = createServer({ nodeEnv: '', logger, incrementalDelivery: incrementalDelivery(delivery), ...options });
  const incremental = format === 'whole' ? undefined : format;
  return runOn(server, {
    query,
    variables,
    maxBytes,
    invocation,
    delivery: { subscriptions: false, incremental, execute: deliver },
  });
}

/** Runs an operation that did not come by HTTP. */
export async function runOn(
  server: Server,
  { query, variables, maxBytes = Infinity, invocation, delivery }: OperationRun,
): Promise<OperationOutcome> {
  return runOperation({
    settings: server.http.operation,
    request: { query, operationName: undefined, variables, extensions: undefined } as never,
    contextArgument: undefined,
    invocation,
    http: undefined,
    call: undefined,
    head: { headers: new HeaderMap() },
    refuse: undefined,
    capacity: { maxBytes, carrier: 'the test' },
    operations: 1,
    delivery,
    step: 'context',
  } as unknown as Operation);
}

interface OperationRun {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly invocation: OperationInvocation;
  readonly delivery: Delivery;
  readonly maxBytes?: number | undefined;
}

export interface IncrementalRun extends IncrementalDeliveryOptions {
  /** 'whole': the client does not read parts. */
  readonly format?: Format | 'whole';
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Default: no limit. */
  readonly maxBytes?: number;
  readonly invocation?: OperationInvocation;
}

/** The first part and all others. */
export async function allPayloads(outcome: OperationOutcome): Promise<SubsequentPayload[]> {
  const parts: SubsequentPayload[] = [outcome.result];
  if (outcome.stream !== undefined) for await (const { result } of outcome.stream) parts.push(result);
  return parts;
}

export async function nextPayload({ stream }: { readonly stream?: PayloadStream | undefined }): Promise<SubsequentPayload> {
  const next = await stream?.next();
  if (next?.done !== false) throw new Error('There is no further part.');
  return next.value.result;
}

/** The scope of an operation, and the functions that end it. */
export function createInvocation(): { invocation: OperationInvocation; cancel(reason: Error): void; lastMoment(): void } {
  const controller = new AbortController();
  let canceled: Error | undefined;
  const onCancel = new Set<(reason: Error) => void>();
  const onLastMoment = new Set<() => void>();
  const add = <T>(callbacks: Set<T>, callback: T): (() => void) => {
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  };
  const invocation: OperationInvocation = {
    signal: controller.signal,
    waitUntil() {},
    until: 'disconnect',
    isAnswered: false,
    deadlineLeft: () => undefined,
    onCancel: (callback) => {
      if (canceled === undefined) return add(onCancel, callback);
      callback(canceled);
      return () => {};
    },
    onLastMoment: (callback) => add(onLastMoment, callback),
    untilLate: OperationLife.prototype.untilLate,
    stop: (reason) => controller.abort(reason),
  };
  return {
    invocation,
    cancel: (reason) => {
      canceled = reason;
      for (const callback of onCancel) callback(reason);
      controller.abort(reason);
    },
    lastMoment: () => {
      for (const callback of onLastMoment) callback();
    },
  };
}

/** The complete result of a client, with every part merged at its path. */
export function merge(parts: readonly SubsequentPayload[]): { data: unknown; errors: unknown[] } {
  const [first] = parts;
  const whole = { data: structuredClone(first?.data), errors: [...(first?.errors ?? [])] as unknown[] };
  const paths = new Map<string, Path>();
  for (const { pending, incremental, completed } of parts) {
    for (const { id, path } of (pending ?? []) as { id: string; path: Path }[]) paths.set(id, path);
    for (const entry of (incremental ?? []) as Entry[]) apply(whole, paths, entry);
    for (const { errors } of (completed ?? []) as Entry[]) whole.errors.push(...(errors ?? []));
  }
  return whole;
}

type Path = readonly (string | number)[];

interface Entry {
  readonly id?: string;
  readonly path?: Path;
  readonly subPath?: Path;
  readonly data?: object | null;
  readonly items?: readonly unknown[] | null;
  readonly errors?: readonly unknown[];
}

function apply(whole: { data: unknown; errors: unknown[] }, paths: ReadonlyMap<string, Path>, entry: Entry): void {
  whole.errors.push(...(entry.errors ?? []));
  const path = entry.path ?? [...(paths.get(entry.id!) ?? []), ...(entry.subPath ?? [])];
  if (entry.items) {
    // The legacy format has the index of the first item at the end of the path, and can deliver the same items twice.
    const list = at(whole.data, entry.path === undefined ? path : path.slice(0, -1)) as unknown[];
    const start = entry.path === undefined ? list.length : Number(path.at(-1));
    for (const [index, item] of entry.items.entries()) mergeInto(list as never, { [start + index]: structuredClone(item) });
  } else if (entry.data) {
    mergeInto(at(whole.data, path) as Record<string, unknown>, structuredClone(entry.data) as Record<string, unknown>);
  }
}

function at(data: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string | number, unknown>)[key], data);
}

function mergeInto(target: Record<string, unknown>, source: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(source)) {
    const present = target[key];
    if (isObject(present) && isObject(value)) mergeInto(present, value);
    else target[key] = value;
  }
}

/** Merges objects and lists; the items of lists are merged one by one. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
