import type { GraphQLError } from 'graphql';

import { toRootError } from '../run/errors.ts';
import { executeFields } from '../run/fields.ts';
import { Pending } from '../run/pending.ts';
import type { Path } from '../plan/path.ts';
import type { Position, Selection } from '../plan/planned-field.ts';
import { handleRejections } from '../run/unhandled-rejections.ts';
import { Part } from '../run/part.ts';
import type { Run } from '../run/run.ts';
import { dropPart, keysOf } from './later.ts';
import type { Fragment, Later, LaterPart } from './later.ts';

/** The origin of a part. */
interface PartOrigin {
  readonly run: Run;
  /** The fragments around its object. */
  readonly scope: object | undefined;
}

/** The object and the fields of a part. */
interface DeferredObject {
  readonly selection: Selection;
  readonly source: unknown;
  /** Undefined for the root. */
  readonly position: Position | undefined;
}

/** Deferred fields of one object, which are executed and delivered together. */
export class DeferredPart implements LaterPart {
  readonly fragments: readonly Fragment[];
  readonly path: Path | undefined;
  /** Set when the part has been executed without an error that reached its root. */
  data: unknown = undefined;
  errors: readonly GraphQLError[] | undefined = undefined;
  /** Set when the part has failed. */
  failure: GraphQLError | undefined = undefined;
  later: Later | undefined = undefined;
  /** True when the queue waits for the part. */
  isAwaited = false;
  readonly #origin: PartOrigin;
  readonly #object: DeferredObject;
  readonly #part = new Part();
  #state: 'new' | 'running' | 'done' = 'new';
  #pending: Pending | undefined = undefined;
  #onDone: (() => void) | undefined = undefined;

  constructor(origin: PartOrigin, fragments: readonly Fragment[], object: DeferredObject) {
    this.fragments = fragments;
    this.path = object.position?.path;
    this.#origin = origin;
    this.#object = object;
    this.#handleRejections();
    if (origin.run.settings.parts!.early) queueMicrotask(() => this.#execute());
  }

  /** Handles promises in properties that are read later, so that a rejection does not end the process. */
  #handleRejections(): void {
    const { selection, source } = this.#object;
    if (typeof source !== 'object' || source === null) return;
    for (const { definition, fieldName } of selection.fields) {
      if (definition.resolve !== undefined) continue;
      const value: unknown = Object.getOwnPropertyDescriptor(source, fieldName)?.value;
      if (value instanceof Promise || Array.isArray(value)) handleRejections(value);
    }
  }

  /** Calls back when the part is done. Executes it if it is not running. */
  whenDone(callback: () => void): void {
    if (this.#state === 'done') {
      callback();
      return;
    }
    this.#onDone = callback;
    this.#execute();
  }

  /** Drops the part, which is not needed any more. */
  drop(): void {
    if (this.#state === 'done') {
      this.later?.drop();
      return;
    }
    this.#state = 'done';
    dropPart(this.#part, this.#pending);
  }

  /** Settles a canceled part with the values that have arrived. */
  stopWaiting(reason: Error): void {
    if (this.#pending !== undefined && this.#state === 'running') this.#pending.run.stopWaiting(this.#pending, reason);
  }

  #execute(): void {
    if (this.#state !== 'new') return;
    this.#state = 'running';
    const part = this.#part;
    part.onFinish = (data) => this.#finish(data);
    const { selection, source, position } = this.#object;
    const { run: outer, scope } = this.#origin;
    const run = outer.derive(part, scope);
    try {
      const { cancelReason } = run.root;
      if (cancelReason !== undefined) throw cancelReason;
      const data = executeFields(run, selection, source, position);
      if (data instanceof Pending) this.#pending = data;
      else run.finish(data);
    } catch (error) {
      if (!part.finished) run.fail(toRootError(error));
    }
  }

  #finish(data: unknown): void {
    this.#state = 'done';
    const { failure, errors, later } = this.#part;
    if (failure === undefined) {
      this.data = data;
      this.errors = errors;
      this.later = (later as Later | undefined)?.keepWhatIsIn(data, keysOf(this.path).length);
    } else {
      this.failure = failure;
      (later as Later | undefined)?.drop();
    }
    this.#onDone?.();
  }
}
