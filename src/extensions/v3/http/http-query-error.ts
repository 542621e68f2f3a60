/** An HTTP request that is refused, with the status and the body of its answer. */
export class HttpQueryError extends Error {
  readonly statusCode: number;
  /** Whether the message is the JSON text of a GraphQL answer. */
  readonly isGraphQLError: boolean;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(statusCode: number, message: string, isGraphQLError = false, headers?: Readonly<Record<string, string>>) {
    super(message);
    this.name = 'HttpQueryError';
    this.statusCode = statusCode;
    this.isGraphQLError = isGraphQLError;
    this.headers = headers;
  }
}

/** By its name: a plugin may have it from another copy. */
export function isHttpQueryError(error: unknown): error is HttpQueryError {
  return (error as { readonly name?: unknown } | null | undefined)?.name === 'HttpQueryError';
}
