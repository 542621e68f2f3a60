import { GraphQLError } from 'graphql';
import type { GraphQLFormattedError } from 'graphql';

declare module 'graphql' {
  // The same member as in apollo-server-errors: formatters read the original error here.
  interface GraphQLErrorExtensions {
    code?: unknown;
    exception?: { code?: string; stacktrace?: readonly string[] };
  }
}

// Declared here and not as class fields, which would appear in `extensions.exception`.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface ApolloError extends Pick<GraphQLError, 'locations' | 'path' | 'source' | 'positions' | 'nodes' | 'originalError'> {}

/**
 * The base of the version-3 error classes: a message, a code, and custom extensions. A resolver that throws one
 * answers with the message and `extensions.code` in every environment.
 */
export class ApolloError extends Error {
  extensions: Record<string, any>;
  // Any: users set custom properties on errors.
  [key: string]: any;

  /** Throws for `{ extensions: … }` as extensions, which would nest them. */
  constructor(message: string, code?: string, extensions?: Record<string, any>) {
    super(message);
    if (extensions?.['extensions'])
      throw new Error(
        'Pass extensions directly as the third argument of the ApolloError constructor: `new ApolloError(message, code, {myExt: value})`, ' +
          'not `new ApolloError(message, code, {extensions: {myExt: value}})`',
      );
    this.extensions = { ...extensions, code };
  }

  /**
   * The error as an answer contains it. Parse and validation errors keep their `locations`, as in version 2: version 3 with
   * graphql 16 left them out.
   */
  toJSON(): GraphQLFormattedError {
    const { message, locations, ...others } = toGraphQLError(this).toJSON();
    const places = locations ?? this.locations;
    return { message, ...(places && { locations: places }), ...others };
  }

  /** The message and the locations in the document, without the name. */
  override toString(): string {
    return toGraphQLError(this).toString();
  }

  get [Symbol.toStringTag](): string {
    return this.name;
  }
}

function toGraphQLError({ message, nodes, source, positions, path, originalError, extensions }: ApolloError): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}

/** An error whose name is that of its class, also in a bundle that renames classes. */
class NamedError extends ApolloError {
  constructor(name: string, code: string, message: string, extensions?: Record<string, any>) {
    super(message, code, extensions);
    hide(this, 'name', name);
  }
}

/** The document is not valid GraphQL: GRAPHQL_PARSE_FAILED. */
export class SyntaxError extends NamedError {
  constructor(message: string) {
    super('SyntaxError', 'GRAPHQL_PARSE_FAILED', message);
  }
}

/** The document is invalid for the schema: GRAPHQL_VALIDATION_FAILED. */
export class ValidationError extends NamedError {
  constructor(message: string) {
    super('ValidationError', 'GRAPHQL_VALIDATION_FAILED', message);
  }
}

/** The caller is not authenticated: UNAUTHENTICATED. */
export class AuthenticationError extends NamedError {
  constructor(message: string, extensions?: Record<string, any>) {
    super('AuthenticationError', 'UNAUTHENTICATED', message, extensions);
  }
}

/** The caller lacks permission: FORBIDDEN. */
export class ForbiddenError extends NamedError {
  constructor(message: string, extensions?: Record<string, any>) {
    super('ForbiddenError', 'FORBIDDEN', message, extensions);
  }
}

/** No document is stored under the hash: PERSISTED_QUERY_NOT_FOUND. */
export class PersistedQueryNotFoundError extends NamedError {
  constructor() {
    super('PersistedQueryNotFoundError', 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  }
}

/** Persisted queries are disabled: PERSISTED_QUERY_NOT_SUPPORTED. */
export class PersistedQueryNotSupportedError extends NamedError {
  constructor() {
    super('PersistedQueryNotSupportedError', 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  }
}

/** The client's input is invalid: BAD_USER_INPUT. */
export class UserInputError extends NamedError {
  constructor(message: string, extensions?: Record<string, any>) {
    super('UserInputError', 'BAD_USER_INPUT', message, extensions);
  }
}

/** Sets the code of an error and returns the error. Default: INTERNAL_SERVER_ERROR. */
export function toApolloError(
  error: Error & { extensions?: Record<string, any> },
  code = 'INTERNAL_SERVER_ERROR',
): Error & { extensions: Record<string, any> } {
  return Object.assign(error, { extensions: Object.assign(error.extensions ?? {}, { code }) });
}

/** Sets a property that is not enumerable. */
export function hide(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, writable: true });
}

/** A refused HTTP request, with the status and the body of its answer. */
export class HttpQueryError extends Error {
  readonly statusCode: number;
  /** True when the message is the JSON text of a GraphQL answer. */
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

/** An answer that has only one error. */
export function refusal(status: number, message: string, code = 'BAD_REQUEST'): HttpQueryError {
  return new HttpQueryError(status, `${JSON.stringify({ errors: [{ message, extensions: { code } }] })}\n`, true);
}

/** The server cannot answer now. Clients may see the message. */
export class NotReadyError extends Error {}

/** Checks the name, because a plugin may use another copy of the class. */
export function isHttpQueryError(error: unknown): error is HttpQueryError {
  return (error as { readonly name?: unknown } | null | undefined)?.name === 'HttpQueryError';
}
