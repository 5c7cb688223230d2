// The fold of frames into a view: the SDK's, so that every face shows the same.

import { apply as fold, emptyView } from "@ox-agent/sdk/view.ts";
import type { Frame, View } from "./types.ts";

export { emptyView };

export const apply = (view: View, frame: Frame): void => fold(view, frame as unknown as Parameters<typeof fold>[1]);
