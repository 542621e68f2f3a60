/** The text of the editors. */
export interface WrittenRequest {
  readonly endpoint: string;
  readonly query: string;
  /** JSON, or empty. */
  readonly variables: string;
  /** JSON, or empty. */
  readonly headers: string;
  readonly operationName: string | undefined;
}

/** A command for a POSIX shell that sends the request. */
export function toCurl({ endpoint, query, variables, headers, operationName }: WrittenRequest): string {
  const given = parsed(variables);
  const body = { query: withoutGreeting(query), ...(given !== undefined && { variables: given }), ...named(operationName) };
  const fields = Object.entries({ 'content-type': 'application/json', ...(parsed(headers) as object | undefined) });
  const lines = [
    `curl ${quoted(endpoint)}`,
    ...fields.map(([name, value]) => `  -H ${quoted(`${name}: ${String(value)}`)}`),
    `  --data ${quoted(JSON.stringify(body))}`,
  ];
  return lines.join(' \\\n');
}

/** The address of this page with the operation in it. Headers are left out, because they may be secrets. */
export function toLink({ endpoint, query, variables, operationName }: WrittenRequest): string {
  const parameters = { query: withoutGreeting(query), ...(variables.trim() !== '' && { variables }), ...named(operationName) };
  return `${endpoint}?${new URLSearchParams(parameters).toString()}`;
}

function named(operationName: string | undefined): { readonly operationName?: string } {
  return operationName === undefined ? {} : { operationName };
}

/** Without the comments at its beginning. */
function withoutGreeting(query: string): string {
  return query.replace(/^(?:\s*#.*\n)+\s*/, '');
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
