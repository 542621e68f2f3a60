/** Something wrong in the user's files. */
export interface Problem {
  readonly message: string;
  /** Where it is, absolute or relative to the project. Undefined: nowhere in particular. */
  readonly file?: string | undefined;
  /** From 1. Undefined: the file as a whole. */
  readonly line?: number | undefined;
  /** From 1, in UTF-16 code units. */
  readonly column?: number | undefined;
}
