import type { GraphQLError } from 'graphql';

import { valueAt, withoutStacks } from '../../shared/index.ts';
import type { Part } from '../run/part.ts';
import type { Pending } from '../run/pending.ts';
import type { Path } from '../plan/path.ts';

/** Deferred fields of one object, which are executed and delivered together. */
export interface LaterPart {
  /** The part is delivered with the first of these that is complete. */
  readonly fragments: readonly Fragment[];
  readonly path: Path | undefined;
  /** Set when the part has been executed without an error that reached its root. */
  readonly data: unknown;
  readonly errors: readonly GraphQLError[] | undefined;
  readonly later: Later | undefined;
  /** Set when the part has failed. */
  readonly failure: GraphQLError | undefined;
  /** True when `whenDone` has been called. */
  isAwaited: boolean;
  /** Calls back when the part is done. Executes it if it is not running. */
  whenDone(callback: () => void): void;
  /** Settles a canceled part with the values that have arrived. */
  stopWaiting(reason: Error): void;
  /** Drops the part, which is not needed any more. */
  drop(): void;
}

/** The items of a list that are delivered one by one. */
export interface LaterList {
  readonly label: string | undefined;
  readonly path: Path;
  /** Number of items before the first of these. */
  readonly initialCount: number;
  start(receiver: ItemReceiver): void;
  /** Called when the client has received this number of items, so that further ones may be read. */
  received(count: number): void;
  stopWaiting(reason: Error): void;
  drop(): void;
}

/** An item of a streamed list. */
export interface StreamedItem {
  readonly item: unknown;
  readonly errors: readonly GraphQLError[] | undefined;
  readonly later: Later | undefined;
}

/** Receives the items of a streamed list, in their order. */
export interface ItemReceiver {
  onItems(items: readonly StreamedItem[]): void;
  onEnd(): void;
  onFailure(error: GraphQLError): void;
}

/** Fragments with deferred fields and lists that can be announced to the client. */
export interface Announced {
  readonly fragments: readonly Fragment[];
  readonly lists: readonly LaterList[];
}

/** A `@defer` of one object. Its beginning and its completion are announced to the client. */
export class Fragment {
  readonly label: string | undefined;
  /** The path of the object. */
  readonly path: Path | undefined;
  /** The fragment around this one, which is complete first. */
  readonly parent: Fragment | undefined;
  /** The parts of the fragment that have not been delivered. Some also belong to other fragments, and are delivered with the first. */
  parts: LaterPart[] = [];
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
  readonly parts: LaterPart[] = [];
  readonly lists: LaterList[] = [];

  /** Drops everything below positions that have become null. `data` is that of the part, whose path has `depth` keys. */
  keepWhatIsIn(data: unknown, depth: number): this {
    keep(this.parts, data, depth);
    keep(this.lists, data, depth);
    return this;
  }

  drop(): void {
    for (const part of this.parts) part.drop();
    for (const list of this.lists) list.drop();
  }
}

/** Ends a part that is not needed any more. Its pending values fail, so that their sources are closed. */
export function dropPart(part: Part, pending: Pending | undefined): void {
  part.onFinish = undefined;
  if (pending !== undefined && !part.finished) withoutStacks(() => pending.stopWaiting(new Error('The part is not needed any more.')));
  part.finished = true;
  (part.later as Later | undefined)?.drop();
}

export function laterOf(part: Part): Later {
  return (part.later ??= new Later()) as Later;
}

interface Placed {
  readonly path: Path | undefined;
  drop(): void;
}

function keep(found: Placed[], data: unknown, depth: number): void {
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
