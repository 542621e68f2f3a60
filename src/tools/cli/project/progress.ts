export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Shows a command's progress on a terminal, in one line that is written before each step and removed before other output. Shows
 * nothing in pipes, logs and CI. It counts steps, because most of the work is synchronous and timers would not fire.
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

  /** Begins a task with this many steps. */
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

  /** Ends the task. */
  end(): void {
    this.clear();
    this.#steps = 0;
  }

  clear(): void {
    if (this.#isShown) this.#stream.write('\r\u001B[K');
    this.#isShown = false;
  }
}

/** The progress of this process. */
export const progress: Progress = new Progress(process.stderr);
