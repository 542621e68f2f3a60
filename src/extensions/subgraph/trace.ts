import { responsePathAsArray } from 'graphql';

import type { ObservedCall } from '../../executor/index.ts';
import { getOrCreate, isObjectLike, isPromiseLike, isRecord } from '../../shared/index.ts';

/** Nanoseconds since the start of a trace. */
type Nanoseconds = number;

/** An error in a trace. */
export interface TracedError {
  readonly message: string;
  readonly locations: readonly { readonly line: number; readonly column: number }[];
  readonly json: string;
}

/** The result of a resolver, and when it returned. */
interface TracedField {
  readonly name: string;
  readonly type: string;
  readonly parentType: string;
  readonly start: Nanoseconds;
  /** 0: not yet. */
  end: Nanoseconds;
}

/** A position of the answer. A position whose resolver was called has a field, and an item of a list has none. */
export class TraceNode {
  readonly key: string | number | undefined;
  field: TracedField | undefined = undefined;
  readonly errors: TracedError[] = [];
  #children: Map<string | number, TraceNode> | undefined = undefined;

  constructor(key: string | number | undefined) {
    this.key = key;
  }

  get children(): Iterable<TraceNode> {
    return this.#children?.values() ?? [];
  }

  child(key: string | number): TraceNode {
    return getOrCreate((this.#children ??= new Map()), key, () => new TraceNode(key));
  }
}

type Path = ObservedCall['path'];

/** A trace of more bytes than this is not sent. In base64 it takes a third more of the answer. */
const maxSize = 1_048_576;
/**
 * The bytes that each field or error counts in addition to its texts. This also limits memory: a trace of 20,000 short fields is too large.
 */
const sizeOfNode = 48;

/** The resolvers of one execution, as Apollo's routers read them. */
export class ExecutionTrace {
  readonly root: TraceNode = new TraceNode(undefined);
  /** Milliseconds since the epoch. */
  readonly startedAt: number = Date.now();
  readonly #start = performance.now();
  #size = 0;
  /** The nodes of objects and lists, which are deep and have many fields. */
  readonly #parents = new Map<Path, TraceNode>();
  readonly #batched: BatchedField[] = [];

  get isTooLarge(): boolean {
    return this.#size > maxSize;
  }

  /** The time since the start. */
  get elapsed(): Nanoseconds {
    return Math.round((performance.now() - this.#start) * 1e6);
  }

  /** Calls a resolver, and notes when. Introspection is left out. */
  observe(call: ObservedCall, resolve: () => unknown): unknown {
    const { definition, parentType, path, parents } = call;
    if (definition.name.startsWith('__') || parentType.name.startsWith('__')) return resolve();
    const type = String(definition.type);
    const { name } = definition;
    this.#size += (parents ?? 1) * (sizeOfNode + String(path.key).length + name.length + type.length + parentType.name.length);
    if (this.isTooLarge) return resolve();
    const field = { name, type, parentType: parentType.name, start: this.elapsed, end: 0 };
    if (parents === undefined) this.#parentOf(path).child(path.key).field = field;
    else this.#batched.push({ keys: responsePathAsArray(path), field, missing: { count: parents } });
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
    for (const batched of this.#batched) addToParents(this.root, data, batched);
  }

  addError(path: readonly (string | number)[] | undefined, error: TracedError): void {
    this.#size += sizeOfNode + error.message.length + error.json.length;
    if (this.isTooLarge) return;
    const node = (path ?? []).reduce<TraceNode>((parent, key) => parent.child(key), this.root);
    node.errors.push(error);
  }

  #parentOf({ prev }: Path): TraceNode {
    return prev === undefined ? this.root : getOrCreate(this.#parents, prev, () => this.#parentOf(prev).child(prev.key));
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
