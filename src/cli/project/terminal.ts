/** Where lines go. */
export interface Terminal {
  log(line: string): void;
  error(line: string): void;
}
