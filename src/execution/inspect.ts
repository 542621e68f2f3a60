import { locatedError } from 'graphql';

/**
 * Prints a value as graphql-js does in its error messages. Its own function for that is private, but an error
 * made from something that is no Error carries the text: asking for it keeps messages equal in every release.
 */
export function inspect(value: unknown): string {
  // An Error would be taken as it is; as a list's only item it is printed.
  if (value instanceof Error) return inspect([value]).slice(1, -1);
  return locatedError(value, [], []).message.slice(prefix.length);
}

const prefix = 'Unexpected error value: ';
