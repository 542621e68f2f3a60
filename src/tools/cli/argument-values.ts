import { didYouMean } from '../../shared/index.ts';
import { UsageError } from './read-options.ts';

/** The value of an option that takes one of these. */
export function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new UsageError(`Expected --${option} to be one of ${known.join(', ')}, got "${given}".${didYouMean(given, known)}`);
}

/** An integer. */
export function toNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`Expected --${option} to be a number from ${least} to ${most}, got "${text}".`);
}

/** An assignment of `--env`. */
export function toVariable(assignment: string): [name: string, value: string] {
  const at = assignment.indexOf('=');
  if (at > 0) return [assignment.slice(0, at), assignment.slice(at + 1)];
  throw new UsageError(`Expected --env NAME=value, got --env ${assignment}.`);
}
