import type { Path } from '../execution/plan/path.ts';
import type { Deferral, PlannedField, Selection } from '../execution/plan/planned-field.ts';
import type { Run } from '../execution/run.ts';
import { DeferredPart } from './deferred-part.ts';
import { Fragment, laterOf } from './later.ts';
import type { DeferUsage } from './usage.ts';

/** Fields of an object that are delivered together, with any of these fragments. */
export interface FieldGroup {
  readonly usages: readonly DeferUsage[];
  readonly fields: readonly PlannedField[];
}

/** The deferred fields of a selection: what is planned once, and happens for each object. */
export class DeferredFields implements Deferral {
  readonly isShared: boolean;
  readonly groups: readonly FieldGroup[];
  readonly #parts: number;
  readonly #usages: readonly DeferUsage[];
  #selections: readonly Selection[] = [];
  #collectWhole!: () => Selection;
  #whole: Selection | undefined = undefined;

  /** `parts`: what an object takes of the limit. */
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

  enter(run: Run, path: Path | undefined): Run | undefined {
    if (!run.budget.takeParts(this.#parts)) return undefined;
    if (this.#usages.length === 0) return run;
    const scope = new Scope(run.scope as Scope | undefined);
    for (const usage of this.#usages) {
      const parent = usage.parent && scope.find(usage.parent);
      scope.fragments.set(usage, new Fragment(usage.label, path, parent));
    }
    return run.derive(run.part, scope);
  }

  defer(run: Run, source: unknown, path: Path | undefined): void {
    const scope = run.scope as Scope;
    const later = laterOf(run.part);
    for (const usage of this.#usages) later.fragments.push(scope.find(usage)!);
    for (const [at, { usages }] of this.groups.entries()) {
      const fragments = usages.map((usage) => scope.find(usage)!);
      later.parts.push(new DeferredPart(run, fragments, { selection: this.#selections[at]!, source, path }));
    }
  }
}

/** The deferred fragments around an object, in which its fields may be delivered. */
class Scope {
  readonly fragments: Map<DeferUsage, Fragment> = new Map();
  readonly #outer: Scope | undefined;

  constructor(outer: Scope | undefined) {
    this.#outer = outer;
  }

  find(usage: DeferUsage): Fragment | undefined {
    return this.fragments.get(usage) ?? this.#outer?.find(usage);
  }
}
