import type { GraphQLError } from 'graphql';

import { valueAt } from '../../shared/index.ts';
import { locate, toRootError } from '../run/errors.ts';
import { executeFields, executePart } from '../run/fields.ts';
import { startField } from '../run/field-run.ts';
import { closeSource } from '../run/shapes/async-lists.ts';
import { completeItem, ListRun } from '../run/shapes/items.ts';
import { Part } from '../run/part.ts';
import { Pending, PendingContainer } from '../run/pending.ts';
import { sizeOfRead } from '../costs.ts';
import type { Path } from '../plan/path.ts';
import type { PlannedField, Position, Selection, Shape } from '../plan/planned-field.ts';
import { handleRejections } from '../run/unhandled-rejections.ts';
import type { Run } from '../run/run.ts';

/** Deferred fragments and streamed lists that can be announced to the client. */
export interface Announced {
  readonly fragments: readonly Fragment[];
  readonly lists: readonly StreamedList[];
}

/** A `@defer` of one object. Its beginning and its completion are announced to the client. */
export class Fragment {
  readonly label: string | undefined;
  /** The path of the object. */
  readonly path: Path | undefined;
  /** The fragment around this one, which is complete first. */
  readonly parent: Fragment | undefined;
  /** The parts of the fragment that have not been delivered. Some also belong to other fragments, and are delivered with the first. */
  parts: DeferredPart[] = [];
  /** Fragments that are announced when this one is complete. */
  readonly children: Fragment[] = [];
  /** Number of parts that are not done. */
  missing = 0;
  state: 'new' | 'waiting' | 'announced' | 'over' = 'new';

  constructor(label: string | undefined, path: Path | undefined, parent: Fragment | undefined) {
    this.label = label;
    this.path = path;
    this.parent = parent;
  }

  get isKnown(): boolean {
    return this.state === 'waiting' || this.state === 'announced';
  }
}

/** The fragments, parts and lists found in a part of the response, which follow it. */
export class Later {
  readonly fragments: Fragment[] = [];
  readonly parts: DeferredPart[] = [];
  readonly lists: StreamedList[] = [];

  /**
   * Drops everything below positions that have become null. `data`: the data of the part. `depth`: the number of keys in the path of the
   * part.
   */
  keepWhatIsIn(data: unknown, depth: number): void {
    keep(this.parts, data, depth);
    keep(this.lists, data, depth);
  }

  drop(): void {
    for (const part of this.parts) part.drop();
    for (const list of this.lists) list.drop();
  }
}

export function laterOf(part: Part): Later {
  return (part.later ??= new Later()) as Later;
}

function keep(found: { readonly path: Path | undefined; drop(): void }[], data: unknown, depth: number): void {
  let kept = 0;
  for (const one of found) {
    const value = valueAt(data, keysOf(one.path).slice(depth));
    if (value !== null && value !== undefined) found[kept++] = one;
    else one.drop();
  }
  found.length = kept;
}

export function keysOf(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.prev) keys.push(at.key);
  return keys.toReversed();
}

/** A part that follows another one. */
export class LaterPart extends Part {
  declare later: Later | undefined;

  /** Sets what to do when the part has finished, whose path has `depth` keys. */
  whenFinished(depth: number, callback: () => void): void {
    this.callWhenFinished(() => {
      if (this.failure === undefined) this.later?.keepWhatIsIn(this.data, depth);
      else this.later?.drop();
      callback();
    });
  }
}

/** Deferred fields of one object, which are executed and delivered together. */
export class DeferredPart extends LaterPart {
  /** The part is delivered with the first of these that is complete. */
  readonly fragments: readonly Fragment[];
  /** True when the queue waits for the part. */
  isAwaited = false;
  readonly #run: Run;
  /** The fragments around its object. */
  readonly #scope: object | undefined;
  readonly #selection: Selection;
  readonly #source: unknown;
  readonly #position: Position | undefined;

  constructor(
    origin: { run: Run; scope: object | undefined },
    fragments: readonly Fragment[],
    selection: Selection,
    object: DeferredObject,
  ) {
    super();
    this.fragments = fragments;
    this.#run = origin.run;
    this.#scope = origin.scope;
    this.#selection = selection;
    this.#source = object.source;
    this.#position = object.position;
    this.#handleRejections();
  }

  get path(): Path | undefined {
    return this.#position?.path;
  }

  /** Handles promises in properties that are read later, so that a rejection does not end the process. */
  #handleRejections(): void {
    const source = this.#source;
    if (typeof source !== 'object' || source === null) return;
    for (const { definition, fieldName } of this.#selection.fields) {
      if (definition.resolve !== undefined) continue;
      const value: unknown = Object.getOwnPropertyDescriptor(source, fieldName)?.value;
      if (value instanceof Promise || Array.isArray(value)) handleRejections(value);
    }
  }

  /** Calls back when the part has finished. */
  execute(callback: () => void): void {
    if (this.finished) return;
    this.whenFinished(keysOf(this.path).length, callback);
    const run = this.#run.derive(this, this.#scope);
    executePart(run, executeFields, this.#selection, this.#source, this.#position);
  }
}

interface DeferredObject {
  readonly source: unknown;
  /** The position of the value in the response; undefined for the root. */
  readonly position: Position | undefined;
}

/** Receives the items of a streamed list, in their order. */
export interface ItemReceiver {
  onItems(items: readonly LaterPart[]): void;
  onEnd(error: GraphQLError | undefined): void;
}

export interface StreamOrigin {
  readonly label: string | undefined;
  /** The field of the items. */
  readonly field: PlannedField;
  readonly item: Shape;
  readonly path: Path;
  /** Number of items before the first streamed one. */
  readonly count: number;
  readonly iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly isAsync: boolean;
}

/** The maximum number of items that are read before the client has received them. */
const maxWaiting = 100;

/** The items of a list with `@stream` that are delivered one by one. */
export class StreamedList {
  readonly label: string | undefined;
  readonly path: Path;
  /** Number of items before the first of these. */
  readonly initialCount: number;
  readonly #origin: StreamOrigin;
  readonly #run: Run;
  /** The keys in the path of an item, and their characters. */
  readonly #depth: number;
  readonly #pathSize: number;
  #index: number;
  #state: 'new' | 'reading' | 'over' = 'new';
  /** The run of the next item. Items share a run, unless the previous item needed a separate one. */
  #next: ItemRun | undefined = undefined;
  /** Items that have been read and not delivered. */
  readonly #items: StreamedItem[] = [];
  #waiting = 0;
  #room: (() => void) | undefined = undefined;
  #receiver: ItemReceiver | undefined = undefined;
  /** How the stream ends when all items have been delivered. */
  #end: { readonly error: GraphQLError | undefined } | undefined = undefined;

  constructor(run: Run, origin: StreamOrigin) {
    this.label = origin.label;
    this.path = origin.path;
    this.initialCount = origin.count;
    this.#origin = origin;
    this.#run = run;
    this.#index = origin.count;
    this.#depth = keysOf(origin.path).length + 1;
    this.#pathSize = sizeOfPath(origin.path);
  }

  start(receiver: ItemReceiver): void {
    this.#receiver = receiver;
    if (this.#end === undefined) void this.#read();
    else this.#deliver();
  }

  /** Called when the client has received this number of items, so that further ones may be read. */
  received(count: number): void {
    this.#waiting -= count;
    this.#room?.();
    this.#room = undefined;
  }

  /** Drops the list, which is not needed any more. */
  drop(): void {
    this.#close();
    for (const item of this.#items.splice(0)) item.drop();
  }

  /** Settles a canceled list with the items that have arrived. */
  stopWaiting(reason: Error): void {
    this.#end ??= { error: this.#located(reason) };
    this.#close();
    // A copy, because items that settle are delivered at once.
    for (const item of this.#items.slice()) item.stopWaiting(reason);
    this.#deliver();
  }

  async #read(): Promise<void> {
    this.#state = 'reading';
    const { iterator, isAsync } = this.#origin;
    try {
      const { cancelReason } = this.#run.root;
      if (cancelReason !== undefined) throw cancelReason;
      while (this.#isReading) {
        if (this.#waiting >= maxWaiting) await new Promise<void>((resolve) => (this.#room = resolve));
        if (!this.#isReading) return;
        const step = isAsync ? await iterator.next() : (iterator.next() as IteratorResult<unknown>);
        if (!this.#isReading) {
          if (!step.done) handleRejections(step.value);
          return;
        }
        // Any true value counts, as in `for await`.
        if (step.done) {
          this.#state = 'over';
          this.#finish(undefined);
          return;
        }
        this.#waiting++;
        const item = this.#complete(step.value);
        this.#items.push(item);
        // Available items are delivered together.
        if (!isAsync && item.finished && this.#waiting < maxWaiting) continue;
        this.#deliver();
        if (!item.finished) await new Promise<void>((resolve) => (item.onDone = resolve));
      }
    } catch (error) {
      if (!this.#isReading) return;
      this.#next?.part.drop();
      this.#close();
      this.#finish(this.#located(error));
    }
  }

  /** False once the list is closed, which may happen during an `await`. */
  get #isReading(): boolean {
    return this.#state === 'reading';
  }

  /** Completes an item. Throws its located error if items are non-null. */
  #complete(value: unknown): StreamedItem {
    const index = this.#index++;
    const { run, part, list } = (this.#next ??= this.#runItem());
    run.budget.grow(sizeOfRead + this.#pathSize);
    const completed = completeItem(list, value, index);
    if (!(completed instanceof Pending) && part.errors === undefined && part.later === undefined) {
      const item = new StreamedItem();
      item.finish(completed);
      return item;
    }
    this.#next = undefined;
    part.whenFinished(this.#depth, () => {
      part.onDone?.();
      this.#deliver();
    });
    if (completed instanceof Pending) {
      // An object instead of an array, because the item has its index in the whole list.
      const container = new PendingContainer(run, {}, undefined);
      part.index = index;
      part.pending = container;
      container.waitFor(completed, index);
      container.filled();
    } else {
      part.finish(completed);
    }
    return part;
  }

  #runItem(): ItemRun {
    const { field, item, path } = this.#origin;
    const part = new StreamedItem();
    const run = this.#run.derive(part, undefined);
    const list = new ListRun(startField(run, field, { path: path.prev }), item);
    return { run, part, list };
  }

  #deliver(): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    let count = 0;
    while (this.#items[count]?.finished === true && this.#items[count]!.failure === undefined) count++;
    if (count > 0) receiver.onItems(this.#items.splice(0, count));
    const [next] = this.#items;
    const error = next?.finished === true ? next.failure : undefined;
    if (error === undefined && (next !== undefined || this.#end === undefined)) return;
    this.#receiver = undefined;
    if (error !== undefined) this.drop();
    receiver.onEnd(error ?? this.#end?.error);
  }

  #finish(error: GraphQLError | undefined): void {
    this.#end ??= { error };
    this.#deliver();
  }

  /** Ends the reading. */
  #close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#room?.();
    closeSource(this.#origin.iterator, this.#run.settings.invocation);
  }

  #located(error: unknown): GraphQLError {
    return toRootError(locate(error, startField(this.#run, this.#origin.field, { path: this.path.prev })));
  }
}

/** The characters of a path. */
export function sizeOfPath(path: Path | undefined): number {
  let size = 0;
  for (let at = path; at !== undefined; at = at.prev) size += String(at.key).length + 3;
  return size;
}

interface ItemRun {
  readonly run: Run;
  readonly part: StreamedItem;
  readonly list: ListRun;
}

/** An item of a streamed list. */
class StreamedItem extends LaterPart {
  /** The key of the item in the data of the part, if the item is pending. */
  index: number | undefined = undefined;
  onDone: (() => void) | undefined = undefined;

  override finish(data: unknown): void {
    super.finish(this.index === undefined ? data : (data as Record<number, unknown> | null)?.[this.index]);
  }
}
