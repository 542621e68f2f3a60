/** A plan that is larger than its document allows. */
export interface LargePlan {
  /** Forgets what it has collected. */
  forget(): void;
}

export interface PoolShare {
  fields: number;
  readonly plan: WeakRef<LargePlan>;
}

/**
 * Shared memory for plans with more fields than their documents account for: two fields of an interface with 60 types are 120 fields.
 * Without it such plans would be made in every run, which took twice as long as graphql-js. The total is limited, and the oldest
 * plan is dropped first. A share is returned when its plan is garbage collected.
 */
export class PlanPool {
  readonly #maxFields: number;
  readonly #maxShare: number;
  readonly #shares = new Set<PoolShare>();
  #fields = 0;
  #collected: FinalizationRegistry<PoolShare> | undefined = undefined;

  constructor({ maxFields, maxShare }: { readonly maxFields: number; readonly maxShare: number }) {
    this.#maxFields = maxFields;
    this.#maxShare = maxShare;
  }

  get fields(): number {
    return this.#fields;
  }

  /** Gives a plan a share of this size, or resizes its share. Undefined: it is too large. */
  admit(plan: LargePlan, known: PoolShare | undefined, fields: number): PoolShare | undefined {
    if (known !== undefined) this.giveBack(known);
    // Workers with a compatibility date before May 2025 have no WeakRef.
    if (fields > this.#maxShare || typeof WeakRef === 'undefined') return undefined;
    const share = known ?? this.#createShare(plan);
    share.fields = fields;
    this.#shares.add(share);
    this.#fields += fields;
    this.#makeRoom();
    return share;
  }

  giveBack(share: PoolShare): void {
    if (this.#shares.delete(share)) this.#fields -= share.fields;
  }

  #createShare(plan: LargePlan): PoolShare {
    const share = { fields: 0, plan: new WeakRef(plan) };
    this.#collected ??= new FinalizationRegistry((lost) => this.giveBack(lost));
    this.#collected.register(plan, share);
    return share;
  }

  #makeRoom(): void {
    for (const oldest of this.#shares) {
      if (this.#fields <= this.#maxFields) return;
      this.giveBack(oldest);
      oldest.plan.deref()?.forget();
    }
  }
}

/** About 11 MB for all, and 2.7 MB for one: a planned field holds about 550 bytes. */
export const planPool: PlanPool = new PlanPool({ maxFields: 20_000, maxShare: 5_000 });
