import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from './command-here.ts';
import { startDevHere } from './dev-here.ts';
import { createProject, linkPackage } from './functions-project.ts';
import type { Project } from './functions-project.ts';

/** A project that is broken in one way, and what is said of it. */
export interface Break {
  readonly files: Readonly<Record<string, string>>;
  /** What \`dev\` says, and \`check\`. */
  readonly expected: RegExp;
  /** Where the two differ. */
  readonly inCheck?: RegExp;
  readonly prepare?: (project: Project) => Promise<void>;
}

/** The lines of a function, from its first. */
export function functionOf(...lines: readonly string[]): string {
  return ["import { createHandler, gql } from 'graphql-functions';", ...lines, ''].join('\n');
}

/** Two tests of each: that \`dev\` says what is wrong and goes on, and that \`check\` says it and fails. */
export function testBreaks(breaks: Readonly<Record<string, Break>>): void {
  for (const [name, { files, expected, inCheck = expected, prepare }] of Object.entries(breaks)) {
    const create = async (context: TestContext): Promise<Project> => {
      const project = await createProject(context, files);
      await linkPackage(project, 'graphql');
      await prepare?.(project);
      return project;
    };
    describe(name, () => {
      test('dev says so, and goes on', async (context) => {
        const { printed } = await startDevHere(context, await create(context));

        const { stdout, stderr } = printed();
        assert.match(stderr, expected);
        assert.match(stdout, /Ctrl\+C/);
      });

      test('check says so, and fails', async (context) => {
        const { directory } = await create(context);

        const { code, stdout, stderr } = await runCommandHere(directory, 'check');

        assert.match(stdout, inCheck);
        assert.match(stderr, /\d problems?\.\n$/);
        assert.equal(code, 1);
        assert.doesNotMatch(stdout + stderr, /graphql-functions-(?:recorded|logged)/);
      });
    });
  }
}
