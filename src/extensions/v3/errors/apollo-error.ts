import { GraphQLError } from 'graphql';
import type { ASTNode, GraphQLFormattedError, Source, SourceLocation } from 'graphql';

declare module 'graphql' {
  // As apollo-server-errors had it: formatters read what was thrown here.
  interface GraphQLErrorExtensions {
    code?: unknown;
    exception?: { code?: string; stacktrace?: readonly string[] };
  }
}

/**
 * The base of the version-3 error classes: a message, a code, and extensions of your own. A resolver that throws one
 * answers with the message and `extensions.code`, whatever the environment.
 */
export class ApolloError extends Error {
  extensions: Record<string, any>;
  // Declared only: fields of their own would show up in `extensions.exception`.
  declare readonly locations: readonly SourceLocation[] | undefined;
  declare readonly path: readonly (string | number)[] | undefined;
  declare readonly source: Source | undefined;
  declare readonly positions: readonly number[] | undefined;
  declare readonly nodes: readonly ASTNode[] | undefined;
  declare originalError: Error | undefined;
  // Any: users set properties of their own on errors.
  [key: string]: any;

  /** `code` may be any text; `extensions` go beside it. Throws for `{ extensions: … }`, which would nest them. */
  constructor(message: string, code?: string, extensions?: Record<string, any>) {
    super(message);
    if (extensions?.['extensions']) {
      throw new Error(
        'Pass extensions directly as the third argument of the ApolloError constructor: `new ' +
          'ApolloError(message, code, {myExt: value})`, not `new ApolloError(message, code, ' +
          '{extensions: {myExt: value}})`',
      );
    }
    this.extensions = { ...extensions, code };
  }

  /**
   * The form in which answers have errors. As in version 3, places come from nodes and positions alone: those of a parse or
   * validation error, which are copied without, are left out.
   */
  toJSON(): GraphQLFormattedError {
    return toGraphQLError(this).toJSON();
  }

  /** The message, and the places in the document; without the name. */
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

/** The document does not parse: GRAPHQL_PARSE_FAILED. */
export class SyntaxError extends ApolloError {
  constructor(message: string) {
    super(message, 'GRAPHQL_PARSE_FAILED');
    hide(this, 'name', 'SyntaxError');
  }
}

/** The document does not fit the schema: GRAPHQL_VALIDATION_FAILED. */
export class ValidationError extends ApolloError {
  constructor(message: string) {
    super(message, 'GRAPHQL_VALIDATION_FAILED');
    hide(this, 'name', 'ValidationError');
  }
}

/** The caller is not known: UNAUTHENTICATED. */
export class AuthenticationError extends ApolloError {
  constructor(message: string, extensions?: Record<string, any>) {
    super(message, 'UNAUTHENTICATED', extensions);
    hide(this, 'name', 'AuthenticationError');
  }
}

/** The caller is known and may not: FORBIDDEN. */
export class ForbiddenError extends ApolloError {
  constructor(message: string, extensions?: Record<string, any>) {
    super(message, 'FORBIDDEN', extensions);
    hide(this, 'name', 'ForbiddenError');
  }
}

/** No document is kept under the hash: PERSISTED_QUERY_NOT_FOUND. */
export class PersistedQueryNotFoundError extends ApolloError {
  constructor() {
    super('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
    hide(this, 'name', 'PersistedQueryNotFoundError');
  }
}

/** Persisted queries are switched off: PERSISTED_QUERY_NOT_SUPPORTED. */
export class PersistedQueryNotSupportedError extends ApolloError {
  constructor() {
    super('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
    hide(this, 'name', 'PersistedQueryNotSupportedError');
  }
}

/** The client's input is wrong: BAD_USER_INPUT. */
export class UserInputError extends ApolloError {
  constructor(message: string, extensions?: Record<string, any>) {
    super(message, 'BAD_USER_INPUT', extensions);
    hide(this, 'name', 'UserInputError');
  }
}

/** Gives an error a code, in place, and returns it. `code` is INTERNAL_SERVER_ERROR unless given. */
export function toApolloError(
  error: Error & { extensions?: Record<string, any> },
  code = 'INTERNAL_SERVER_ERROR',
): Error & { extensions: Record<string, any> } {
  if (error.extensions) error.extensions['code'] = code;
  else error.extensions = { code };
  return error as Error & { extensions: Record<string, any> };
}

/** Sets a property that is neither listed nor printed. It stays writable, as the name of any error is. */
export function hide(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, writable: true });
}

/** An HTTP request that is refused, with the status and the body of its answer. */
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

/** By its name: a plugin may have it from another copy. */
export function isHttpQueryError(error: unknown): error is HttpQueryError {
  return (error as { readonly name?: unknown } | null | undefined)?.name === 'HttpQueryError';
}
