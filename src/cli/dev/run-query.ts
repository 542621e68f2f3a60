import type { DevServer } from './dev.ts';

/** The outcome of an operation. */
export interface Answer {
  /** The address of the function that was asked. */
  readonly url: string;
  readonly status: number;
  /** Indented, where it is JSON. */
  readonly text: string;
}

/** Sends an operation, as a client would, to the first GraphQL function that runs; undefined when there is none. */
export async function askFunction({ url, prefix, functions }: DevServer, query: string): Promise<Answer | undefined> {
  const asked = [...functions.values()].find(({ isGraphQL, isBroken, isHelper }) => isGraphQL && !isBroken && !isHelper);
  if (asked === undefined) return undefined;
  const address = `${url}${prefix}/${asked.name}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return { url: address, status: response.status, text: indented(await response.text()) };
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text.trim();
  }
}
