/** Client of Ox, the coding agent. */

export type * from "./api.js";
export { Conversation, Ox, take, type OxOptions, type RequestOptions, type RunOptions } from "./client.js";
export { OxError } from "./error.js";
export {
  EventParser, follow, readEvents, type Connect, type Cursors, type FollowOptions, type ServerEvent, type Update,
} from "./events.js";
export { agentOf, apply, callEntry, emptyView, hitRate, isOfAgent, Live, parentOf, viewOf, type LiveText } from "./view.js";
export type * from "./wire.js";
