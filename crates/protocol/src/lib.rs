//! Plain data that crosses every boundary of Ox.
