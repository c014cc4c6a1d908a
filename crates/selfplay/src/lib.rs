//! Many games at once, written to shards.
