/** The history: folds the inputs and the ledger of the cells into intervals, and answers questions about the past. */
@NullMarked
package dev.claimstream.history;

import org.jspecify.annotations.NullMarked;
