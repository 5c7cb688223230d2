// A component that is drawn again only when one of its properties is another one.

import { Component, createElement, type FunctionComponent } from "preact";

export function memo<P extends object>(of: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as Record<string, unknown>;
      const names = new Set([...Object.keys(now), ...Object.keys(next)]);
      return [...names].some((name) => now[name] !== (next as Record<string, unknown>)[name]);
    }
    override render() {
      return createElement(of, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
