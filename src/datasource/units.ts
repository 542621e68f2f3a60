/** A number of milliseconds; as a time, those since 1970. */
export type Milliseconds = number;
