import type { DevServer } from './dev.ts';

/** The response to an operation. */
export interface Answer {
  /** The URL of the function that answered. */
  readonly url: string;
  readonly status: number;
  /** Indented if it is JSON. */
  readonly text: string;
}

/** Sends an operation to the first GraphQL function that runs. Undefined when there is none. */
export async function runQuery({ url, prefix, functions }: DevServer, query: string): Promise<Answer | undefined> {
  const target = [...functions.values()].find(({ isGraphQL, isBroken, isHelper }) => isGraphQL && !isBroken && !isHelper);
  if (target === undefined) return undefined;
  const address = `${url}${prefix}/${target.name}`;
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
