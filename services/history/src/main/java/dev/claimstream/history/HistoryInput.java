package dev.claimstream.history;

import java.util.List;

/**
 * An input of a cell with the ledger events that it led to.
 *
 * @param cell number of the cell; the router has the number after the last cell
 * @param atMicros time of the input in microseconds since 1970
 * @param facts ledger events in their order
 */
public record HistoryInput(int cell, long atMicros, HistoryObservation observation, List<LedgerFact> facts) {
    public HistoryInput {
        facts = List.copyOf(facts);
    }
}
