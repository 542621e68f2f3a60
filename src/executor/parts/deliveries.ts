import type { GraphQLError } from 'graphql';

import type { PartsFormatter } from './payload-writer.ts';
import type { Announced, DeferredPart, Fragment, Later, LaterPart, StreamedList } from './later.ts';

/**
 * Decides when deferred fragments and streamed lists begin, and what is delivered. A fragment is complete when all its parts are; then the
 * fragments inside of it and the lists of its parts are announced. A part of several fragments is delivered with the first of them.
 */
export class Deliveries {
  readonly #format: PartsFormatter;
  /** Called when there is something to deliver, or nothing follows. */
  readonly #onChange: () => void;
  /** Fragments and lists that have been announced and are not complete. */
  readonly #fragments = new Set<Fragment>();
  readonly #lists = new Set<StreamedList>();
  /** Steps that run one after another, so that all parts of a fragment are counted before the first is done. */
  readonly #steps: (() => void)[] = [];
  #isStepping = false;
  /** The reason of the cancellation, if there was one: parts that are announced later must not be awaited either. */
  #cancelReason: Error | undefined = undefined;

  constructor(format: PartsFormatter, onChange: () => void) {
    this.#format = format;
    this.#onChange = onChange;
  }

  /** True when nothing follows. */
  get isOver(): boolean {
    return this.#fragments.size === 0 && this.#lists.size === 0;
  }

  /** Takes the deferred parts and lists of the first part. Undefined if nothing follows it. Nothing is executed before `start`. */
  begin(later: Later): Announced | undefined {
    const fragments = withParts(this.#take(later, undefined));
    for (const fragment of fragments) {
      fragment.state = 'announced';
      this.#fragments.add(fragment);
    }
    for (const list of later.lists) this.#lists.add(list);
    return this.isOver ? undefined : { fragments, lists: later.lists };
  }

  start(): void {
    this.#step(() => {
      for (const fragment of this.#fragments) this.#startFragment(fragment);
      for (const list of this.#lists) this.#startList(list);
    });
  }

  /** Settles everything after a cancellation with the values that have arrived. */
  stopWaiting(reason: Error): void {
    this.#cancelReason = reason;
    this.#step(() => {
      for (const list of this.#lists) list.stopWaiting(reason);
      for (const fragment of this.#fragments) for (const part of fragment.parts) part.stopWaiting(reason);
    });
  }

  /** Completes everything with an error. */
  endWith(error: GraphQLError): void {
    for (const fragment of this.#fragments) this.#format.fragmentFailed(fragment, error);
    for (const list of this.#lists) this.#format.listFailed(list, error);
    this.drop();
    this.#onChange();
  }

  /** Ends everything, because no reader is left. */
  drop(): void {
    this.#steps.length = 0;
    for (const fragment of this.#fragments) remove(fragment);
    for (const list of this.#lists) list.drop();
    this.#fragments.clear();
    this.#lists.clear();
  }

  #step(step: () => void): void {
    this.#steps.push(step);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#steps.shift(); next !== undefined; next = this.#steps.shift()) next();
    } finally {
      this.#isStepping = false;
    }
    this.#onChange();
  }

  /** Registers the deferred parts and lists of a part. Returns the fragments that do not wait for another one. */
  #take({ fragments, parts }: Later, within: DeferredPart | undefined): readonly Fragment[] {
    const found: Fragment[] = [];
    for (const fragment of fragments) register(fragment, within === undefined ? found : undefined);
    for (const part of parts) {
      for (const fragment of part.fragments) {
        if (!fragment.isKnown) continue;
        fragment.parts.push(part);
        fragment.missing++;
        if (fragment.state === 'announced') this.#await(part);
      }
      if (!part.fragments.some(({ isKnown }) => isKnown)) part.drop();
    }
    return found;
  }

  #announce(fragments: readonly Fragment[], lists: readonly StreamedList[]): void {
    for (const fragment of fragments) {
      fragment.state = 'announced';
      this.#fragments.add(fragment);
      this.#steps.push(() => this.#startFragment(fragment));
    }
    for (const list of lists) {
      this.#lists.add(list);
      this.#steps.push(() => this.#startList(list));
    }
  }

  #startFragment(fragment: Fragment): void {
    for (const part of fragment.parts) this.#await(part);
    this.#finishIfComplete(fragment);
  }

  #await(part: DeferredPart): void {
    if (part.isAwaited) {
      if (part.failure !== undefined) this.#steps.push(() => this.#fail(part));
      return;
    }
    part.isAwaited = true;
    this.#steps.push(() => {
      part.execute(() => this.#step(() => this.#partDone(part)));
      if (this.#cancelReason !== undefined) part.stopWaiting(this.#cancelReason);
    });
  }

  #partDone(part: DeferredPart): void {
    if (part.failure !== undefined) {
      this.#fail(part);
      return;
    }
    if (part.later !== undefined) this.#take(part.later, part);
    for (const fragment of part.fragments) {
      if (!fragment.isKnown) continue;
      fragment.missing--;
      this.#finishIfComplete(fragment);
    }
  }

  #finishIfComplete(fragment: Fragment): void {
    if (fragment.state !== 'announced' || fragment.missing > 0) return;
    const { parts } = fragment;
    fragment.parts = [];
    for (const part of parts)
      for (const other of part.fragments) if (other.parts.length > 0) other.parts = other.parts.filter((one) => one !== part);
    fragment.state = 'over';
    this.#fragments.delete(fragment);
    const fragments = withParts(fragment.children);
    const lists = parts.flatMap(({ later }) => later?.lists ?? []);
    this.#format.fragmentDone(fragment, parts, { fragments, lists });
    this.#announce(fragments, lists);
  }

  #fail(part: DeferredPart): void {
    for (const fragment of part.fragments) {
      if (fragment.state !== 'announced') continue;
      this.#fragments.delete(fragment);
      remove(fragment);
      this.#format.fragmentFailed(fragment, part.failure!);
    }
  }

  #startList(list: StreamedList): void {
    list.start({
      onItems: (items) => this.#step(() => this.#listItems(list, items)),
      onEnd: (error) => this.#step(() => this.#endList(list, error)),
    });
    if (this.#cancelReason !== undefined) list.stopWaiting(this.#cancelReason);
  }

  #listItems(list: StreamedList, items: readonly LaterPart[]): void {
    const isAwaited = this.#lists.has(list);
    for (const item of items) {
      const { later } = item;
      if (!isAwaited) {
        later?.drop();
      } else if (later === undefined) {
        this.#format.listItem(list, item, nothing);
      } else {
        const found = { fragments: withParts(this.#take(later, undefined)), lists: later.lists };
        this.#format.listItem(list, item, found);
        this.#announce(found.fragments, found.lists);
      }
    }
  }

  #endList(list: StreamedList, error: GraphQLError | undefined): void {
    if (!this.#lists.delete(list)) return;
    if (error === undefined) this.#format.listDone(list);
    else this.#format.listFailed(list, error);
  }
}

const nothing: Announced = { fragments: [], lists: [] };

/** Registers a fragment, after those around it. Fragments inside a fragment that is over are never registered. */
function register(fragment: Fragment, found: Fragment[] | undefined): void {
  if (fragment.state !== 'new') return;
  const { parent } = fragment;
  if (parent?.state === 'new') register(parent, found);
  if (parent !== undefined && !parent.isKnown) return;
  fragment.state = 'waiting';
  if (parent === undefined) found?.push(fragment);
  else parent.children.push(fragment);
}

/** Returns the fragments that have something to deliver. A fragment without parts is replaced by those inside it. */
function withParts(fragments: readonly Fragment[]): readonly Fragment[] {
  return fragments.flatMap((fragment) => {
    if (!fragment.isKnown) return [];
    if (fragment.parts.length > 0) return [fragment];
    fragment.state = 'over';
    return withParts(fragment.children);
  });
}

/** Removes a fragment that has failed, and those inside of it. */
function remove(fragment: Fragment): void {
  if (fragment.state === 'over') return;
  fragment.state = 'over';
  for (const part of fragment.parts) if (part.fragments.every(({ state }) => state === 'over')) part.drop();
  for (const child of fragment.children) remove(child);
}
