import { Component, type ReactNode } from "react";
import { Trouble } from "./page.tsx";

type Props = {
  /** Where one is: whoever goes elsewhere has left what broke behind. */
  readonly place: string;
  readonly children: ReactNode;
};

/** A page that breaks says so in its own place; the menu and every other page go on. */
export class Boundary extends Component<Props, { readonly broken?: Error }> {
  override state: { readonly broken?: Error } = {};

  static getDerivedStateFromError(broken: Error) {
    return { broken };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.broken && place !== this.props.place) this.setState({ broken: undefined as never });
  }

  override render() {
    const { broken } = this.state;
    if (!broken) return this.props.children;
    return (
      <div className="p-4">
        <Trouble problem={broken} again={() => this.setState({ broken: undefined as never })} />
      </div>
    );
  }
}
