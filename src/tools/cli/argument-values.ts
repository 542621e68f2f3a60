import { didYouMean } from '../../shared/index.ts';
import { UsageError } from './read-options.ts';

/** The value of an option that takes one of these. */
export function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new UsageError(`Expected --${option} to be one of ${known.join(', ')}, got "${given}".${didYouMean(given, known)}`);
}

/** A port number; 0 means any free port. */
export function toPort(port: string): number {
  const number = Number(port);
  if (port.trim() !== '' && Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new UsageError(`Expected --port to be a number from 0 to 65535, got "${port}".`);
}

/** A time limit of `--timeout`. */
export function toMilliseconds(seconds: string): number {
  const number = Number(seconds) * 1000;
  // Lambda's maximum is 900 s.
  if (seconds.trim() !== '' && number > 0 && number <= 900_000) return number;
  throw new UsageError(`Expected --timeout to be a number of seconds, at most 900, got "${seconds}".`);
}

/** An assignment of `--env`. */
export function toVariable(assignment: string): [name: string, value: string] {
  const at = assignment.indexOf('=');
  if (at > 0) return [assignment.slice(0, at), assignment.slice(at + 1)];
  throw new UsageError(`Expected --env NAME=value, got --env ${assignment}.`);
}
