/** Stages of plugins that only look, or only choose. */

/** A stage that is called with the outcome of `next`. */
export function after<TSubject, TOutcome>(
  look: (subject: TSubject, outcome: TOutcome) => unknown,
): (subject: TSubject, next: () => Promise<TOutcome>) => Promise<TOutcome> {
  return async (subject, next) => {
    const outcome = await next();
    await look(subject, outcome);
    return outcome;
  };
}

/** A stage that is called before `next`, and whose result `next` gets. */
export function before<TSubject, TOutcome, TGiven>(
  choose: (subject: TSubject) => TGiven | Promise<TGiven>,
): (subject: TSubject, next: (given?: Exclude<TGiven, void>) => Promise<TOutcome>) => Promise<TOutcome> {
  return async (subject, next) => next((await choose(subject)) as Exclude<TGiven, void>);
}
