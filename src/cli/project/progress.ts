/** The part of a terminal's stream that is written to. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Says on a terminal how far a command is: in one line, written before each step and taken away before anything else is printed.
 * Elsewhere (a pipe, a log, CI) nothing is said. By steps and not by a timer, for most of the work leaves no timer a turn.
 */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #isOn: boolean;
  #subject = '';
  #steps = 0;
  #step = 0;
  #isShown = false;

  constructor(stream: ProgressStream, env: NodeJS.ProcessEnv = process.env) {
    this.#stream = stream;
    this.#isOn = stream.isTTY === true && !env['CI'];
  }

  /** Something that has this many steps. */
  begin(subject: string, steps: number): void {
    this.clear();
    this.#subject = subject;
    this.#steps = steps;
    this.#step = 0;
  }

  step(text: string): void {
    if (!this.#isOn || this.#steps === 0) return;
    this.#step = Math.min(this.#step + 1, this.#steps);
    const line = `  ${this.#subject}: ${text} (${this.#step} of ${this.#steps})`;
    this.#stream.write(`\r\u001B[K${line.slice(0, (this.#stream.columns || 80) - 1)}`);
    this.#isShown = true;
  }

  /** There is nothing more to be done of it. */
  end(): void {
    this.clear();
    this.#steps = 0;
  }

  clear(): void {
    if (this.#isShown) this.#stream.write('\r\u001B[K');
    this.#isShown = false;
  }
}

/** That of this process. */
export const progress: Progress = new Progress(process.stderr);
