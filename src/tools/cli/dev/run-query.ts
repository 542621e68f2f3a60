import type { DevServer } from './dev.ts';

/** The response to an operation. */
export interface Answer {
  /** The URL of the function that answered. */
  readonly url: string;
  readonly status: number;
  /** The text of the response. JSON is on one line if it fits the terminal, or indented. */
  readonly text: string;
}

/**
 * Sends an operation to the first GraphQL function whose schema it fits, or to the first one that runs if it fits none. Undefined when none
 * runs. A function that finds the operation invalid has not executed it, so the operation runs once.
 */
export async function runQuery(server: Pick<DevServer, 'url' | 'prefix' | 'functions'>, query: string): Promise<Answer | undefined> {
  let first: Answer | undefined;
  for (const { name, isGraphQL, problem, notice } of server.functions.values()) {
    if (!isGraphQL || problem !== undefined || notice !== undefined) continue;
    const { isValid, ...answer } = await send(`${server.url}${server.prefix}/${name}`, query);
    if (isValid) return answer;
    first ??= answer;
  }
  return first;
}

async function send(url: string, query: string): Promise<Answer & { readonly isValid: boolean }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const text = await response.text();
  return { url, status: response.status, text: readable(text), isValid: !text.includes('"GRAPHQL_VALIDATION_FAILED"') };
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
