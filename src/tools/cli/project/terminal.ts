/** The methods of `console` that print lines. */
export interface Terminal {
  log(line: string): void;
  error(line: string): void;
}
