import { ToolbarButton } from '@graphiql/react';
import { createElement, useState } from 'react';
import type { FunctionComponent } from 'react';

/** A button that has the server explain its answers: `onSwitch` is told whether it is to. Off when the page opens, for the report is longer than most answers. */
export const ExplainButton: FunctionComponent<{ readonly onSwitch: (isOn: boolean) => void }> = ({ onSwitch }) => {
  const [isOn, setIsOn] = useState(false);
  const toggle = (): void => {
    onSwitch(!isOn);
    setIsOn(!isOn);
  };
  const label = isOn ? 'Answers are explained in extensions.explain' : 'Explain how answers come about';
  const style = isOn ? { backgroundColor: 'hsla(var(--color-primary), 0.2)' } : {};
  return createElement(ToolbarButton, { label, onClick: toggle, 'aria-pressed': isOn, style }, magnifyingGlass);
};

const magnifyingGlass = createElement(
  'svg',
  { className: 'graphiql-toolbar-icon', viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 2, 'aria-hidden': true },
  createElement('circle', { cx: 10, cy: 10, r: 6 }),
  createElement('path', { d: 'M14.5 14.5 L21 21' }),
);
