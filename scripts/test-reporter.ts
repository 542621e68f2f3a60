/** Reports failed and skipped tests to scripts/test.ts as they come, and at the end the counts and the files' times. */
import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import type { tap } from 'node:test/reporters';
import { inspect } from 'node:util';

export interface ProcessResult {
  passed: number;
  failed: number;
  skipped: number;
  /** Of each file. */
  readonly milliseconds: Record<string, number>;
}

/** A line of the reports, as JSON: text to print, or the result, which is the last. */
export type Report = { readonly text: string } | { readonly result: ProcessResult };

/** The file from which `scripts/test.ts` reads the reports. Not stdout, because tests print there too. */
export const reportDescriptor = 3;

// oxlint-disable-next-line require-yield -- yielded text would be printed between that of tests
export default async function* report(events: Parameters<typeof tap>[0]): AsyncGenerator<string, void> {
  const result: ProcessResult = { passed: 0, failed: 0, skipped: 0, milliseconds: {} };
  const path: string[] = [];
  for await (const { type, data } of events) {
    // An error outside of every test: Node ends with exit code 1, and reports no failed test.
    if (type === 'test:diagnostic' && data.message.includes('asynchronous activity')) send({ text: data.message });
    if (type === 'test:start') path.splice(data.nesting, path.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // Node reports a file without tests as a test that passed; Node 22 does not say of which file.
    if (type === 'test:pass' && (data.file === undefined || data.name === data.file)) continue;
    const file = relative(process.cwd(), data.file ?? '');
    if (data.nesting === 0) result.milliseconds[file] = (result.milliseconds[file] ?? 0) + data.details.duration_ms;
    const name = `${file}:${data.line} ${[...path.slice(0, data.nesting), data.name].join(' > ')}`;
    if (type === 'test:fail') {
      const { error } = data.details as { error: Error & { failureType?: string } };
      if (error.failureType === 'subtestsFailed') continue;
      result.failed++;
      send({ text: `FAILED ${name}\n${inspect(error.cause ?? error)}\n` });
    } else if (data.skip !== undefined) {
      result.skipped++;
      send({ text: `skipped ${name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}` });
    } else if (data.details.type !== 'suite') {
      result.passed++;
    }
  }
  send({ result });
}

function send(line: Report): void {
  writeSync(reportDescriptor, `${JSON.stringify(line)}\n`);
}
