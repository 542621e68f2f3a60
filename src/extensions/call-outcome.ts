import type { DataSourceCall } from '../operation/plugin.ts';

/** Follows a call of a data source as far as it takes to say who answered it. */
export class CallOutcome {
  /** How often the request has left for the origin. */
  tries = 0;
  readonly #request: DataSourceCall['request'];
  #hasJoined = false;

  constructor(request: DataSourceCall['request']) {
    this.#request = request;
  }

  joined(): void {
    this.#hasJoined = true;
  }

  sent(): void {
    this.tries++;
  }

  /** "shared": an equal request that was under way. "none": nobody, the call failed before. Else what the data source says. */
  get answeredBy(): string {
    return this.#hasJoined && this.tries === 0 ? 'shared' : (this.#request.outcome ?? 'none');
  }
}
