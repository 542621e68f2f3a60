/** Why an operation was not run again. */
export type Reason = 'ended early: deadline, limit or a client that left' | 'onError: HALT' | 'onError: NULL with graphql 16';

let verified = 0;
const skipped = new Map<Reason, number>();
let isAnnounced = false;

export function countVerified(): void {
  verified++;
  announce();
}

export function countSkipped(reason: Reason): void {
  skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  announce();
}

/** One line when the process ends, so that a run that verified nothing is noticed. */
function announce(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  globalThis.process.once('exit', () => {
    const reasons = [...skipped].map(([reason, count]) => `${count} (${reason})`);
    globalThis.process.stderr.write(
      `graphql-functions: ${verified} operations verified with graphql-js, ${reasons.join(', ') || 'none'} skipped.\n`,
    );
  });
}
