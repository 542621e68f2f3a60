import { responsePathAsArray } from 'graphql';

import type { ObservedCall } from '../../executor/index.ts';
import { isObjectLike, isPromiseLike, isRecord } from '../../shared/index.ts';

/** Nanoseconds since the start of a trace. */
type Nanoseconds = number;

/** An error in a trace. */
export interface TracedError {
  readonly message: string;
  readonly locations: readonly { readonly line: number; readonly column: number }[];
  readonly json: string;
}

/** What a resolver returned, and when. */
interface TracedField {
  readonly name: string;
  readonly type: string;
  readonly parentType: string;
  readonly start: Nanoseconds;
  /** 0: not yet. */
  end: Nanoseconds;
}

/** A position of the answer. It has a field if its resolver was called, and none if it is an item of a list. */
export class TraceNode {
  readonly key: string | number | undefined;
  field: TracedField | undefined = undefined;
  readonly errors: TracedError[] = [];
  readonly #children = new Map<string | number, TraceNode>();

  constructor(key: string | number | undefined) {
    this.key = key;
  }

  get children(): readonly TraceNode[] {
    return [...this.#children.values()];
  }

  child(key: string | number): TraceNode {
    let child = this.#children.get(key);
    if (child === undefined) this.#children.set(key, (child = new TraceNode(key)));
    return child;
  }
}

type Path = ObservedCall['path'];

/** A trace with more fields than this is not sent: it would be larger than many answers may be. */
const maxFields = 20_000;

/** The resolvers of one execution, as Apollo's routers read them. */
export class ExecutionTrace {
  readonly root: TraceNode = new TraceNode(undefined);
  /** Milliseconds since the epoch. */
  readonly startedAt: number = Date.now();
  readonly #start = performance.now();
  #fields = 0;
  readonly #batched: { readonly keys: readonly (string | number)[]; readonly parents: number; readonly field: TracedField }[] = [];

  get isTooLarge(): boolean {
    return this.#fields > maxFields;
  }

  /** The time since the start. */
  get elapsed(): Nanoseconds {
    return Math.round((performance.now() - this.#start) * 1e6);
  }

  /** Calls a resolver, and notes when. Introspection is left out. */
  observe(call: ObservedCall, resolve: () => unknown): unknown {
    const { definition, parentType, path, parents } = call;
    if (definition.name.startsWith('__') || parentType.name.startsWith('__')) return resolve();
    this.#fields += parents ?? 1;
    if (this.isTooLarge) return resolve();
    const field = { name: definition.name, type: String(definition.type), parentType: parentType.name, start: this.elapsed, end: 0 };
    if (parents === undefined) this.#nodeAt(path).field = field;
    else this.#batched.push({ keys: responsePathAsArray(path), parents, field });
    const end = (): void => void (field.end = this.elapsed);
    let value: unknown;
    try {
      value = resolve();
    } catch (error) {
      end();
      throw error;
    }
    return whenFinished(value, end);
  }

  /** Adds a node for each parent of batched fields: they are called without the indexes of lists, which are found in the answer. */
  addBatchedFields(data: unknown): void {
    for (const { keys, parents, field } of this.#batched) addToParents(this.root, data, { keys, field, missing: { count: parents } });
  }

  addError(path: readonly (string | number)[] | undefined, error: TracedError): void {
    const node = (path ?? []).reduce<TraceNode>((parent, key) => parent.child(key), this.root);
    node.errors.push(error);
  }

  #nodeAt(path: Path | undefined): TraceNode {
    return path === undefined ? this.root : this.#nodeAt(path.prev).child(path.key);
  }
}

interface BatchedField {
  readonly keys: readonly (string | number)[];
  readonly field: TracedField;
  /** Parents of the call that have no node yet: a later call has the following parents. */
  readonly missing: { count: number };
}

function addToParents(node: TraceNode, value: unknown, batched: BatchedField): void {
  const { keys, field, missing } = batched;
  if (missing.count === 0) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) if (isObjectLike(item)) addToParents(node.child(index), item, batched);
    return;
  }
  const [key, ...below] = keys;
  if (key === undefined || !isRecord(value) || !Object.hasOwn(value, key)) return;
  const child = node.child(key);
  if (below.length > 0) addToParents(child, value[key], { ...batched, keys: below });
  else if (child.field === undefined) {
    child.field = field;
    missing.count--;
  }
}

/** Calls back when the value has arrived, including all promises of a list. A lazy thenable allows one call of `then`, which is made here. */
function whenFinished(value: unknown, end: () => void): unknown {
  if (isPromiseLike(value)) {
    const promise = Promise.resolve(value);
    void promise.then((resolved) => whenFinished(resolved, end), end);
    return promise;
  }
  const promises = Array.isArray(value) ? value.filter((item) => item instanceof Promise) : [];
  if (promises.length === 0) end();
  else void Promise.all(promises).then(end, end);
  return value;
}
