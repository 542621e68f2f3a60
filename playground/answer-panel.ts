import { createElement, useSyncExternalStore } from 'react';
import type { CSSProperties, FunctionComponent, ReactNode } from 'react';

import type { ExplainedCall, ExplainReport } from '../src/tools/explain/report.ts';
import { lastAnswer } from './answers.ts';
import type { LastEvents } from './answers.ts';

const muted = 'hsla(var(--color-neutral), 0.85)';
const panel: CSSProperties = {
  padding: '6px 12px',
  fontSize: 12,
  borderTop: '1px solid hsla(var(--color-neutral), 0.15)',
  maxHeight: '45vh',
  overflow: 'auto',
};

/** Below a response: its status, time and headers, and its explanation; or the events of a subscription. */
export const AnswerPanel: FunctionComponent = () => {
  const answer = useSyncExternalStore(lastAnswer.subscribe, lastAnswer.get);
  if (answer === undefined) return null;
  if ('events' in answer) return createElement(Events, answer);
  const { status, milliseconds, headers, report, messages = [] } = answer;
  const notice = headers.find(([name]) => name === 'graphql-functions-notice')?.[1];
  return createElement(
    'div',
    { style: panel, className: 'answer-panel' },
    createElement(
      'details',
      null,
      createElement('summary', { style: { cursor: 'pointer' } }, `${status} · ${milliseconds} ms · ${headers.length} headers`),
      createElement(
        'pre',
        { style: { margin: '4px 0', whiteSpace: 'pre-wrap' } },
        headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
      ),
    ),
    ...messages.map((message, at) =>
      createElement('pre', { key: `message ${at}`, className: 'message', style: { margin: '4px 0' } }, message),
    ),
    notice === undefined ? null : createElement('p', { className: 'notice', style: { margin: '4px 0' } }, notice),
    report === undefined ? null : createElement(Explanation, { report }),
  );
};

const Events: FunctionComponent<LastEvents> = ({ events, hasEnded }) => {
  const count = events.length === 1 ? '1 event' : `${events.length} events`;
  return createElement(
    'div',
    { style: panel, className: 'answer-panel' },
    createElement('div', null, `${count} · ${hasEnded ? 'ended' : 'open'}`),
    ...events
      .map(({ milliseconds, result }, at) =>
        createElement(
          'div',
          { key: at, className: 'subscription-event', style: { display: 'flex', gap: 12 } },
          createElement('span', { style: { color: muted, whiteSpace: 'nowrap' } }, `${(milliseconds / 1000).toFixed(1)} s`),
          createElement('code', { style: { overflowWrap: 'anywhere' } }, JSON.stringify('data' in result ? result.data : result)),
        ),
      )
      .toReversed(),
  );
};

const Explanation: FunctionComponent<{ readonly report: ExplainReport }> = ({ report }) => {
  const { milliseconds, calls } = report;
  const stages = Object.entries(milliseconds).map(([stage, time]) => `${stage} ${round(time)} ms`);
  const total = Math.max(milliseconds.total, ...calls.map(({ start, duration = 0 }) => start + duration), 1);
  return createElement(
    'section',
    { 'aria-label': 'Explanation', style: { marginTop: 6 } },
    createElement('div', { style: { color: muted } }, stages.join(' · ')),
    ...calls.map((call, at) => createElement(Call, { key: at, call, total })),
    createElement('details', null, createElement('summary', { style: { cursor: 'pointer', color: muted } }, 'Everything'), json(report)),
  );
};

/** One call of a data source: its start and duration, what answered it, and why. */
const Call: FunctionComponent<{ readonly call: ExplainedCall; readonly total: number }> = ({ call, total }) => {
  const { source, method, url, field, cache, why, status, error, start, duration } = call;
  const color = error === undefined ? (reachesOrigin.has(cache) ? 'var(--color-primary)' : 'var(--color-success)') : 'var(--color-error)';
  const time = duration === undefined ? 'not finished' : `${round(duration)} ms`;
  const left = Math.min((start / total) * 100, 99);
  const width = Math.max(((duration ?? total - start) / total) * 100, 0.7);
  return createElement(
    'div',
    { className: 'explained-call', title: why, style: { margin: '6px 0' } },
    createElement(
      'div',
      { style: { display: 'flex', gap: 8, justifyContent: 'space-between', flexWrap: 'wrap' } },
      createElement(
        'span',
        { style: { overflowWrap: 'anywhere' } },
        `${field === undefined ? '' : `${field}  `}${source} ${method} ${url}`,
      ),
      createElement('span', { style: { color: muted } }, [status, cache, time].filter((part) => part !== undefined).join(' · ')),
    ),
    createElement(
      'div',
      { style: { height: 6, background: 'hsla(var(--color-neutral), 0.1)', borderRadius: 3 } },
      createElement('div', {
        style: {
          height: 6,
          marginLeft: `${left}%`,
          width: `${Math.min(width, 100 - left)}%`,
          background: `hsl(${color})`,
          borderRadius: 3,
        },
      }),
    ),
    createElement('div', { style: { color: muted } }, error ?? why),
  );
};

/** Outcomes of calls that were sent to the origin. */
const reachesOrigin = new Set<string>(['miss', 'bypass', 'revalidated', 'none']);

function round(milliseconds: number): number {
  return milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds);
}

function json(value: unknown): ReactNode {
  return createElement('pre', { style: { whiteSpace: 'pre-wrap' } }, JSON.stringify(value, undefined, 2));
}
