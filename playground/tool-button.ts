import { createElement } from 'react';
import type { CSSProperties, FunctionComponent, ReactNode } from 'react';

interface ToolButtonProperties {
  /** The accessible name. */
  readonly title: string;
  /** Below the icon. */
  readonly text: string;
  readonly icon: ReactNode;
  readonly onClick: () => void;
  /** For a button that stays pressed. */
  readonly isOn?: boolean;
}

const style: CSSProperties = {
  width: 'auto',
  height: 'auto',
  padding: '4px 0',
  fontSize: 10,
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
};

/** A button of the toolbar with an icon and a word. */
export const ToolButton: FunctionComponent<ToolButtonProperties> = ({ title, text, icon, onClick, isOn }) =>
  createElement(
    'button',
    {
      type: 'button',
      className: 'graphiql-un-styled graphiql-toolbar-button',
      title,
      'aria-label': title,
      ...(isOn !== undefined && { 'aria-pressed': isOn }),
      onClick,
      style: isOn === true ? { ...style, backgroundColor: 'hsla(var(--color-primary), 0.2)' } : style,
    },
    createElement('svg', { className: 'graphiql-toolbar-icon', viewBox: '0 0 24 24', 'aria-hidden': true }, icon),
    text,
  );
