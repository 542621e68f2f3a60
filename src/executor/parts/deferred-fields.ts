import type { Deferral, PlannedField, Position, Selection } from '../plan/planned-field.ts';
import type { Run } from '../run/run.ts';
import { DeferredPart, Fragment, laterOf, sizeOfPath } from './later.ts';
import type { DeferUsage } from './usage.ts';

/** Fields of an object that are delivered together, with any of these fragments. */
export interface FieldGroup {
  readonly usages: readonly DeferUsage[];
  readonly fields: readonly PlannedField[];
}

/** The deferred fields of a selection, planned once and started for each object. */
export class DeferredFields implements Deferral {
  readonly isShared: boolean;
  readonly groups: readonly FieldGroup[];
  readonly #parts: number;
  readonly #usages: readonly DeferUsage[];
  #selections: readonly Selection[] = [];
  #collectWhole!: () => Selection;
  #whole: Selection | undefined = undefined;

  /** `parts` is the number of parts that an object uses of the limit. */
  constructor(
    usages: readonly DeferUsage[],
    groups: readonly FieldGroup[],
    isShared: boolean,
    parts: number = Math.max(usages.length, groups.length),
  ) {
    this.#parts = parts;
    this.#usages = usages;
    this.groups = groups;
    this.isShared = isShared && usages.length > 0;
  }

  prepare(select: (fields: readonly PlannedField[]) => Selection, whole: () => Selection): void {
    this.#selections = this.groups.map(({ fields }) => select(fields));
    this.#collectWhole = whole;
  }

  get whole(): Selection {
    return (this.#whole ??= this.#collectWhole());
  }

  enter(run: Run, position: Position | undefined): Run | undefined {
    if (!run.budget.takeParts(this.#parts, sizeOfPath(position?.path))) return undefined;
    return this.isShared ? run.derive(run.part, this.#scopeOf(run, position)) : run;
  }

  defer(run: Run, source: unknown, position: Position | undefined): void {
    const scope = this.isShared ? (run.scope as Scope) : this.#scopeOf(run, position);
    const later = laterOf(run.part);
    if (this.#usages.length > 0) later.fragments.push(...scope!.fragments);
    for (const [at, { usages }] of this.groups.entries()) {
      const fragments = usages.map((usage) => scope!.find(usage)!);
      later.parts.push(new DeferredPart({ run, scope }, fragments, this.#selections[at]!, { source, position }));
    }
  }

  /** Returns the fragments around the object and the fragments of the object itself. */
  #scopeOf(run: Run, position: Position | undefined): Scope | undefined {
    const outer = run.scope as Scope | undefined;
    if (this.#usages.length === 0) return outer;
    const scope = new Scope(this.#usages, outer);
    for (const { label, parent } of this.#usages) scope.fragments.push(new Fragment(label, position?.path, parent && scope.find(parent)));
    return scope;
  }
}

/** The deferred fragments around an object. Each may deliver fields of the object. */
class Scope {
  /** The fragments of the object, one for each usage. */
  readonly fragments: Fragment[] = [];
  readonly #usages: readonly DeferUsage[];
  readonly #outer: Scope | undefined;

  constructor(usages: readonly DeferUsage[], outer: Scope | undefined) {
    this.#usages = usages;
    this.#outer = outer;
  }

  find(usage: DeferUsage): Fragment | undefined {
    const at = this.#usages.indexOf(usage);
    return at < 0 ? this.#outer?.find(usage) : this.fragments[at];
  }
}
