import type { GraphQLError } from 'graphql';

import type { PartsFormat } from '../plan/parts-planner.ts';
import { keysOf } from './later.ts';
import type { Announced, DeferredPart, Fragment, LaterPart, StreamedList } from './later.ts';

type Keys = readonly (string | number)[];

/** A result after the first. */
export interface SubsequentResult {
  readonly hasNext: boolean;
  /** Newly announced parts. The legacy format has none. */
  readonly pending?: readonly PendingEntry[];
  readonly incremental?: readonly IncrementalEntry[];
  /** Completed parts. The legacy format has none. */
  readonly completed?: readonly CompletedEntry[];
}

export interface PendingEntry {
  readonly id: string;
  readonly path: Keys;
  readonly label?: string;
}

export interface IncrementalEntry {
  readonly id?: string;
  readonly subPath?: Keys;
  readonly path?: Keys;
  readonly label?: string;
  readonly data?: unknown;
  readonly items?: readonly unknown[] | null;
  readonly errors?: readonly GraphQLError[];
}

export interface CompletedEntry {
  readonly id: string;
  readonly errors?: readonly GraphQLError[];
}

/** Writes the progress of fragments and lists into the results that are sent. */
export interface PartsFormatter {
  /** Returns the properties to add to the first result. */
  first(announced: Announced): object;
  fragmentDone(fragment: Fragment, parts: readonly DeferredPart[], next: Announced): void;
  fragmentFailed(fragment: Fragment, error: GraphQLError): void;
  listItem(list: StreamedList, item: LaterPart, next: Announced): void;
  listDone(list: StreamedList): void;
  listFailed(list: StreamedList, error: GraphQLError): void;
  /** True if there is something to send. */
  readonly isFilled: boolean;
  /** Returns everything that has happened since the last call. */
  take(hasNext: boolean): SubsequentResult;
}

export function createFormatter(format: PartsFormat): PartsFormatter {
  return format === 'legacy' ? new LegacyFormatter() : new CurrentFormatter();
}

/** The streamed items in a result, by the entry that has them. */
class Items {
  readonly list: StreamedList;
  readonly items: unknown[] = [];
  errors: GraphQLError[] | undefined = undefined;

  constructor(list: StreamedList) {
    this.list = list;
  }

  add({ data, errors }: LaterPart): void {
    this.items.push(data);
    if (errors !== undefined) (this.errors ??= []).push(...errors);
  }

  /** Further items of the list may be read. */
  get content(): Pick<IncrementalEntry, 'items' | 'errors'> {
    this.list.received(this.items.length);
    return { items: this.items, ...(this.errors && { errors: this.errors }) };
  }
}

/** The format of graphql 17: parts have ids, and nothing is delivered twice. */
class CurrentFormatter implements PartsFormatter {
  readonly #ids = new Map<Fragment | StreamedList, string>();
  #nextId = 0;
  #pending: PendingEntry[] = [];
  #incremental: (IncrementalEntry | Items)[] = [];
  #completed: CompletedEntry[] = [];

  first(announced: Announced): object {
    return { pending: this.#announce(announced), hasNext: true };
  }

  fragmentDone(fragment: Fragment, parts: readonly DeferredPart[], next: Announced): void {
    for (const part of parts) this.#incremental.push(this.#entryOf(fragment, part));
    this.#complete(fragment);
    this.#pending.push(...this.#announce(next));
  }

  fragmentFailed(fragment: Fragment, error: GraphQLError): void {
    this.#complete(fragment, error);
  }

  listItem(list: StreamedList, item: LaterPart, next: Announced): void {
    itemsOf(this.#incremental, list).add(item);
    if (next.fragments.length + next.lists.length > 0) this.#pending.push(...this.#announce(next));
  }

  listDone(list: StreamedList): void {
    this.#complete(list);
  }

  listFailed(list: StreamedList, error: GraphQLError): void {
    this.#complete(list, error);
  }

  get isFilled(): boolean {
    return this.#pending.length + this.#incremental.length + this.#completed.length > 0;
  }

  take(hasNext: boolean): SubsequentResult {
    const [pending, incremental, completed] = [this.#pending, this.#incremental, this.#completed];
    [this.#pending, this.#incremental, this.#completed] = [[], [], []];
    return {
      hasNext,
      ...(pending.length > 0 && { pending }),
      ...(incremental.length > 0 && {
        incremental: incremental.map((entry) => (entry instanceof Items ? { id: this.#ids.get(entry.list)!, ...entry.content } : entry)),
      }),
      ...(completed.length > 0 && { completed }),
    };
  }

  #announce({ fragments, lists }: Announced): PendingEntry[] {
    return [...fragments, ...lists].map((one) => {
      const id = String(this.#nextId++);
      this.#ids.set(one, id);
      return { id, path: keysOf(one.path), ...(one.label !== undefined && { label: one.label }) };
    });
  }

  #complete(one: Fragment | StreamedList, error?: GraphQLError): void {
    this.#completed.push({ id: this.#ids.get(one)!, ...(error && { errors: [error] }) });
    if (!('initialCount' in one)) this.#ids.delete(one);
  }

  /** A part belongs to the announced fragment that is nearest to the object. */
  #entryOf(fragment: Fragment, { fragments, path, data, errors }: DeferredPart): IncrementalEntry {
    let id = this.#ids.get(fragment)!;
    // The usual case: all fields belong to the object of the fragment.
    if (path === fragment.path && fragments.length === 1) return { id, data, ...(errors && { errors }) };
    let depth = keysOf(fragment.path).length;
    for (const other of fragments) {
      const otherId = this.#ids.get(other);
      const otherDepth = keysOf(other.path).length;
      if (otherId === undefined || otherDepth <= depth) continue;
      id = otherId;
      depth = otherDepth;
    }
    const subPath = keysOf(path).slice(depth);
    return { id, data, ...(errors && { errors }), ...(subPath.length > 0 && { subPath }) };
  }
}

/** The format before it: parts have paths, and each fragment has all its fields. */
class LegacyFormatter implements PartsFormatter {
  #incremental: (IncrementalEntry | Items)[] = [];
  /** The index of the next item of each list. */
  readonly #indexes = new Map<StreamedList, number>();

  first(): object {
    return { hasNext: true };
  }

  fragmentDone({ path, label }: Fragment, parts: readonly DeferredPart[]): void {
    for (const { data, errors } of parts) this.#add({ data, path: keysOf(path), ...(errors && { errors }) }, label);
  }

  fragmentFailed({ path, label }: Fragment, error: GraphQLError): void {
    this.#add({ data: null, path: keysOf(path), errors: [error] }, label);
  }

  listItem(list: StreamedList, item: LaterPart): void {
    itemsOf(this.#incremental, list).add(item);
  }

  listDone(): void {
    // The format has no property for this.
  }

  listFailed({ path, label }: StreamedList, error: GraphQLError): void {
    this.#add({ items: null, path: keysOf(path), errors: [error] }, label);
  }

  get isFilled(): boolean {
    return this.#incremental.length > 0;
  }

  take(hasNext: boolean): SubsequentResult {
    const incremental = this.#incremental;
    this.#incremental = [];
    if (incremental.length === 0) return { hasNext };
    return { hasNext, incremental: incremental.map((entry) => (entry instanceof Items ? this.#itemsEntry(entry) : entry)) };
  }

  #itemsEntry({ list, content }: Items): IncrementalEntry {
    const { path, label, initialCount } = list;
    const index = this.#indexes.get(list) ?? initialCount;
    this.#indexes.set(list, index + content.items!.length);
    return {
      items: content.items!,
      path: [...keysOf(path), index],
      ...(content.errors && { errors: content.errors }),
      ...(label !== undefined && { label }),
    };
  }

  #add(entry: IncrementalEntry, label: string | undefined): void {
    this.#incremental.push(label === undefined ? entry : { ...entry, label });
  }
}

/** Returns the last entry if it has items of the list, else adds an entry. */
function itemsOf(entries: (IncrementalEntry | Items)[], list: StreamedList): Items {
  const last = entries.at(-1);
  if (last instanceof Items && last.list === list) return last;
  const items = new Items(list);
  entries.push(items);
  return items;
}
