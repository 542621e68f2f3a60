import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from './command-here.ts';
import { startDevHere } from './dev-here.ts';
import { createProject, linkPackage } from './functions-project.ts';
import type { Project } from './functions-project.ts';

/** A project with one mistake, and the message about it. */
export interface Break {
  readonly files: Readonly<Record<string, string>>;
  /** The message of `dev` and `check`. */
  readonly expected: RegExp;
  /** The message of `check`, if it differs from that of `dev`. */
  readonly inCheck?: RegExp;
  readonly prepare?: (project: Project) => Promise<void>;
}

/** The source lines of a function. */
export function functionOf(...lines: readonly string[]): string {
  return ["import { createHandler, gql } from 'graphql-functions';", ...lines, ''].join('\n');
}

/**
 * Registers two tests for each project: `dev` reports the mistake and keeps running, and `check` reports it and fails. Starting a dev
 * server takes most of the time, so only the first `toldByDev` projects are tested with `dev`. Default: all of them.
 */
export function testBreaks(breaks: Readonly<Record<string, Break>>, { toldByDev = Number.POSITIVE_INFINITY } = {}): void {
  for (const [index, [name, wrong]] of Object.entries(breaks).entries()) {
    describe(name, () => {
      if (index < toldByDev) test('dev reports it, and keeps running', (context) => tellDev(context, wrong));
      test('check reports it, and fails', (context) => tellCheck(context, wrong));
    });
  }
}

async function tellDev(context: TestContext, wrong: Break): Promise<void> {
  const { printed } = await startDevHere(context, await brokenProject(context, wrong));

  const { stdout, stderr } = printed();
  assert.match(stderr, wrong.expected);
  assert.match(stdout, /Ctrl\+C/);
}

async function tellCheck(context: TestContext, wrong: Break): Promise<void> {
  const { directory } = await brokenProject(context, wrong);

  const { code, stdout, stderr } = await runCommandHere(directory, 'check');

  assert.match(stdout, wrong.inCheck ?? wrong.expected);
  assert.match(stderr, /\d problems?\.\n$/);
  assert.equal(code, 1);
}

async function brokenProject(context: TestContext, { files, prepare }: Break): Promise<Project> {
  const project = await createProject(context, files);
  await linkPackage(project, 'graphql');
  await prepare?.(project);
  return project;
}
