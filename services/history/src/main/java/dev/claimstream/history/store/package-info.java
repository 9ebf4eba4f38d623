/** The intervals in DuckDB, and the questions about them. */
@NullMarked
package dev.claimstream.history.store;

import org.jspecify.annotations.NullMarked;
