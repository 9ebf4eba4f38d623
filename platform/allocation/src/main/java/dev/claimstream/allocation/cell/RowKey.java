package dev.claimstream.allocation.cell;

/** The key of a row of a known type. */
record RowKey<R extends Row>(Class<R> type, String text) {}
