/** One test of a store: `run` rejects if the store breaks its contract. */
export interface StoreTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Tests of a contract, each with its own store and a random id. */
export function testsOfContract<TStore>(
  tests: Readonly<Record<string, (store: TStore, id: string) => Promise<void>>>,
  createStore: () => TStore | Promise<TStore>,
): readonly StoreTest[] {
  return Object.entries(tests).map(([name, test]) => ({
    name,
    run: async () => test(await createStore(), `contract:${crypto.randomUUID()}`),
  }));
}

/** Polls until the store has reached a state: `expected` says which. */
export async function until(isReached: () => Promise<boolean>, expected: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isReached()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  throw new Error(`Expected ${expected} within seconds.`);
}
