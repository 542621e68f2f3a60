import type { ListedSelection, ObjectLog, ObjectNaming, ObjectRun } from '../../executor/index.ts';
import type { AnsweredObjects, AnsweredRun, ObjectListing } from '../../server/index.ts';

/**
 * Lists the objects of answers: returned by a plugin's `executionWillStart` as `objects`, it gives the outcome of the operation its list,
 * `outcome.objects`. One serves any number of operations.
 *
 * `naming` names an object by its type and the value that a resolver has returned for it. Default: an object is named by its field `id`,
 * and has no name if the client has not selected it.
 */
export function listObjects(naming?: ObjectNaming): ObjectListing {
  return { naming, begin: () => new ObjectList(naming) };
}

/** Objects that are listed one by one. */
const maxObjects = 10_000;

/** The objects in an answer, with their names or selected ids. A name that fails counts as missing and does not change the answer. */
export class ObjectList implements AnsweredObjects, ObjectLog {
  /** Undefined: objects are named by their field `id`. */
  readonly naming: ObjectNaming | undefined;
  /** True when the execution has come to its end. */
  isComplete = false;
  /** The error of the first name that failed. */
  failure: unknown;
  readonly runs: ListedRun[] = [];
  readonly called: Set<string> = new Set<string>();
  onLate: (() => void) | undefined;

  constructor(naming?: ObjectNaming) {
    this.naming = naming;
  }

  /** Names of their types. */
  get types(): ReadonlySet<string> {
    return new Set(this.runs.map(({ typename }) => typename));
  }

  get isWhole(): boolean {
    let count = 0;
    for (const { noted } of this.runs) count += noted;
    return count <= maxObjects;
  }

  runOf(selection: ListedSelection): ListedRun {
    const last = this.runs.at(-1);
    if (last?.isOf(selection)) return last;
    const run = new ListedRun(selection, this);
    this.runs.push(run);
    return run;
  }

  each(visit: (typename: string, id: string | undefined) => boolean | void): void {
    let left = maxObjects;
    for (const run of this.runs)
      for (let at = 0; at < run.count; at++) {
        if (left-- === 0) return;
        if (visit(run.typename, run.nameAt(at)) === false) return;
      }
  }
}

/** Objects of one selection, as they were made. */
class ListedRun implements ObjectRun, AnsweredRun {
  /** Shared by all calls that run the selection, so plugins, which receive the list, must not reach it. */
  readonly #selection: ListedSelection;
  readonly #log: Pick<ObjectList, 'naming' | 'failure'>;
  /** The response name of the id. Undefined: it is not selected, or not used as a name. */
  readonly #idKey: string | undefined;
  noted = 0;
  /** The name of each, or the object of the response: its id may still be pending. */
  readonly #values: unknown[] = [];

  constructor(selection: ListedSelection, log: Pick<ObjectList, 'naming' | 'failure'>) {
    this.#selection = selection;
    this.#log = log;
    this.#idKey = log.naming === undefined ? idKeyOf(selection) : undefined;
  }

  isOf(selection: ListedSelection): boolean {
    return this.#selection === selection;
  }

  get typename(): string {
    return this.#selection.type.name;
  }

  get count(): number {
    return this.#values.length;
  }

  nameAt(at: number): string | undefined {
    const value = this.#values[at];
    return textOf(this.#idKey === undefined ? value : (value as Record<string, unknown>)[this.#idKey]);
  }

  note(result: unknown, source: unknown): void {
    if (++this.noted > maxObjects) return;
    const { naming } = this.#log;
    if (naming === undefined) this.#values.push(this.#idKey === undefined ? undefined : result);
    else this.#values.push(this.#named(naming, source));
  }

  /** Called at once, because the source may change before the end of the execution. */
  #named(naming: ObjectNaming, source: unknown): unknown {
    try {
      return naming(this.typename, source);
    } catch (error) {
      this.#log.failure ??= error;
      return undefined;
    }
  }
}

/** With arguments, an object may have several ids. */
function idKeyOf({ type, fields }: ListedSelection): string | undefined {
  if (type.getFields()['id']?.args.length !== 0) return undefined;
  return fields.find(({ fieldName }) => fieldName === 'id')?.responseName;
}

function textOf(id: unknown): string | undefined {
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : undefined;
}
