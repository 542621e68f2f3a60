import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';

import { Call, OperationLife } from '../../../src/server/call.ts';
import { OpenCalls } from '../../../src/server/startup/start.ts';
import type { DeadlineOptions } from '../../../src/server/startup/deadline.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** The events of a call: the platform reports `disconnects`, and the stream of the answer reports `left`. */
type Step = 'answered' | 'disconnects' | 'left' | 'deadline' | 'last moment' | 'options';

/** At the deadline 500 ms of the limit are left, at the last moment 250. */
const reserveMs = 500;
const atStart: DeadlineOptions = { ms: 1000, reserveMs };
const whenKnown: DeadlineOptions = { ms: 3000, reserveMs };

const starterWith = (deadline: DeadlineOptions | undefined) => ({
  logger: () => recordingLogger()[0],
  prepared: { deadline },
  calls: new OpenCalls(),
});

function createCall(starter: object, platform: object = {}): Call {
  return new Call(platform as never, { starter, streaming: undefined } as never, { event: {}, context: {}, env: {} });
}

/** A call with callbacks from the start, and a record of their calls. */
class WatchedCall {
  readonly told: string[] = [];
  readonly call: Call;
  readonly view: OperationLife;
  readonly #begunAt = Date.now();
  readonly #starter = starterWith(atStart);
  #disconnect = (): void => {};

  constructor() {
    this.call = createCall(this.#starter, { onLeave: (_event: never, leave: () => void) => (this.#disconnect = leave) });
    this.view = new OperationLife(this.call, 'disconnect');
    this.view.onCancel((reason) => this.told.push(codeOf(reason)));
    this.view.onLastMoment(() => this.told.push('last moment'));
    this.view.signal.addEventListener('abort', () => this.told.push('signal'));
    mock.timers.tick(0);
  }

  take(step: Step): void {
    if (step === 'answered') this.call.answered();
    else if (step === 'left') this.call.left();
    else if (step === 'disconnects') this.#disconnect();
    else if (step === 'deadline') this.#passUntil(this.#starter.prepared.deadline!.ms! - reserveMs);
    else if (step === 'last moment') this.#passUntil(this.#starter.prepared.deadline!.ms! - reserveMs / 2);
    else {
      this.#starter.prepared = { deadline: whenKnown };
      this.call.lifetime.optionsAreKnown();
    }
  }

  #passUntil(after: number): void {
    mock.timers.tick(Math.max(0, this.#begunAt + after - Date.now()));
    // The timer was set while another one fired.
    mock.timers.tick(0);
  }
}

function codeOf(reason: Error): string {
  return String((reason as { extensions?: { code?: unknown } }).extensions?.code);
}

const everyStep: readonly Step[] = ['answered', 'left', 'disconnects', 'deadline', 'last moment', 'options'];

/** The callbacks that are called for these steps. */
function expectedFor(steps: readonly Step[]): readonly string[] {
  const told: string[] = [];
  const cancel = (code: string): unknown => told.length === 0 && told.push(code, 'signal');
  for (const step of steps) {
    if (step === 'disconnects' || step === 'left') cancel('CLIENT_LEFT');
    if (step === 'deadline' || step === 'last moment') cancel('DEADLINE_EXCEEDED');
    if (step === 'last moment') told.push(step);
    if (step === 'answered' || step === 'left') break;
  }
  return told;
}

/** All orders of all steps: 720. */
function ordersOf(steps: readonly Step[]): Step[][] {
  return steps.length === 0
    ? [[]]
    : steps.flatMap((first) => ordersOf(steps.filter((step) => step !== first)).map((rest) => [first, ...rest]));
}

describe('the end of a call', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setImmediate', 'Date'], now: 0 });
  });

  afterEach(() => mock.timers.reset());

  describe('late options', () => {
    test('move the deadline of an open call: nothing happens at the old one', () => {
      const call = new WatchedCall();

      call.take('options');
      mock.timers.tick(1000);

      assert.deepEqual(call.told, []);
      assert.equal(call.call.deadlineLeft(), 1500);
    });

    test('after the deadline move only the last moment', () => {
      const call = new WatchedCall();

      call.take('deadline');
      call.take('options');
      mock.timers.tick(1000);
      const before = [...call.told];
      call.take('deadline');
      call.take('last moment');

      assert.deepEqual(before, ['DEADLINE_EXCEEDED', 'signal']);
      assert.deepEqual(call.told, ['DEADLINE_EXCEEDED', 'signal', 'last moment']);
    });
  });

  test('in every order of all steps, a call is cancelled once, the signal fires after all others, and nothing follows the answer', () => {
    for (const steps of ordersOf(everyStep)) {
      const call = new WatchedCall();
      for (const step of steps) call.take(step);
      call.view.onLastMoment(() => {});
      mock.timers.tick(10_000);

      assert.deepEqual(call.told, expectedFor(steps), steps.join(', '));
      assert.equal(call.call.isAnswered, true, steps.join(', '));
    }
  });

  describe('a callback that is added afterwards', () => {
    test('is called at once: in a call that is cancelled, in one that is late, and in one that was cancelled before its answer', () => {
      for (const steps of [['deadline'], ['deadline', 'last moment'], ['deadline', 'answered'], ['left'], ['left', 'answered']] as const) {
        const call = new WatchedCall();
        for (const step of steps) call.take(step);

        const told: string[] = [];
        call.view.onCancel((reason) => told.push(codeOf(reason)));

        assert.equal(told.length, 1, steps.join(', '));
      }
    });

    test('has a signal that is aborted with the reason, even if it was not read before', () => {
      const call = createCall(starterWith(undefined));

      call.left();
      const { signal } = new OperationLife(call, 'disconnect');

      assert.equal(signal.aborted, true);
      assert.match(String(signal.reason), /The client disconnected/);
    });

    test('is not called in a call that was answered in time, whose signal never fires', () => {
      const call = new WatchedCall();

      call.take('answered');
      call.view.onCancel(() => call.told.push('cancelled'));
      call.view.onLastMoment(() => call.told.push('last moment'));
      mock.timers.tick(10_000);

      assert.deepEqual(call.told, []);
      assert.equal(call.view.signal.aborted, false);
    });

    test('and removed is not called', () => {
      const call = new WatchedCall();
      const told: string[] = [];

      call.view.onCancel(() => told.push('cancelled'))();
      call.view.onLastMoment(() => told.push('last moment'))();
      call.take('deadline');
      call.take('last moment');

      assert.deepEqual(told, []);
    });
  });

  test('a synchronous call sets no timer, and calls no function of the platform', () => {
    let asked = 0;
    const platform = { onLeave: () => asked++, timeLimit: () => asked++ };
    const starter = {
      ...starterWith(atStart),
      get prepared() {
        asked++;
        return { deadline: atStart };
      },
    };
    const call = createCall(starter, platform);

    call.answered();
    mock.timers.runAll();

    assert.equal(asked, 0);
  });
});

for (const isKnownLate of [false, true])
  test(`a call has one timer, and none after its answer${isKnownLate ? ', even if its options are known later' : ''}`, async (t) => {
    // Counts only timers of this call: files that ran before in the same process may have left theirs.
    const open = new Set<unknown>();
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    t.mock.method(globalThis, 'setTimeout', ((run: () => void, ms: number) => {
      const timer = set(run, ms);
      open.add(timer);
      return timer;
    }) as never);
    t.mock.method(globalThis, 'clearTimeout', (timer: Parameters<typeof clear>[0]) => {
      open.delete(timer);
      clear(timer);
    });
    const starter = starterWith(atStart);
    const call = createCall(starter);
    const know = (): void => {
      starter.prepared = { deadline: whenKnown };
      call.lifetime.optionsAreKnown();
    };

    new OperationLife(call, 'disconnect').onCancel(() => {});
    if (!isKnownLate) know();
    await new Promise((resolve) => setImmediate(resolve));
    const whileOpen = open.size;
    call.answered();
    if (isKnownLate) know();

    assert.deepEqual([whileOpen, open.size], [1, 0]);
  });
