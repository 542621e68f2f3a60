import type { DevServer } from './dev.ts';

/** The response to an operation. */
export interface Answer {
  /** The URL of the function that answered. */
  readonly url: string;
  readonly status: number;
  /** The text of the response. JSON is on one line if it fits the terminal, or indented. */
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
  return { url: address, status: response.status, text: readable(await response.text()) };
}

function readable(text: string): string {
  try {
    const indented = JSON.stringify(JSON.parse(text), undefined, 2);
    // Line breaks within strings are escaped.
    const line = indented.replaceAll(/\n */g, ' ');
    return line.length <= 80 ? line : indented;
  } catch {
    return text.trim();
  }
}
