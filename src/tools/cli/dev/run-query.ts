import type { DevServer } from './dev.ts';

/** The response to an operation. */
export interface Answer {
  readonly status: number;
  /** The text of the response. JSON is on one line if it fits the terminal, or indented. */
  readonly text: string;
}

/** Sends an operation to the function `graphql`, or else to the first GraphQL function that runs. Undefined when none runs. */
export async function runQuery(
  { url, prefix, functions }: Pick<DevServer, 'url' | 'prefix' | 'functions'>,
  query: string,
): Promise<Answer | undefined> {
  const running = [...functions.values()].filter(
    ({ isGraphQL, problem, notice }) => isGraphQL && problem === undefined && notice === undefined,
  );
  const { name } = running.find((local) => local.name === 'graphql') ?? running[0] ?? {};
  if (name === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${prefix}/${name}`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return { status: response.status, text: readable(await response.text()) };
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
