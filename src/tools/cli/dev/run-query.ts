import type { DevServer } from './dev.ts';

/** The response to an operation. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends an operation to the function `graphql`, or else to the first GraphQL function that runs. Undefined when none runs. */
export async function runQuery(
  { url, prefix, functions }: Pick<DevServer, 'url' | 'prefix' | 'functions'>,
  query: string,
): Promise<Answer | undefined> {
  const running = functions.filter(({ isGraphQL, problem }) => isGraphQL && problem === undefined);
  const { name } = running.find((local) => local.name === 'graphql') ?? running[0] ?? {};
  if (name === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${prefix}/${name}`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return { status: response.status, text: (await response.text()).trim() };
}
