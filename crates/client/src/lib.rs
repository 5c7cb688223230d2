//! Send commands, receive events.
