package dev.claimstream.audit.streams;

/** The replay of one ledger: that of a cell, or that of the router. It is used once, by one thread. */
interface LedgerReplay {
    /** Prepares the state before the first input. It is called once. */
    void begin();

    /** Continues up to the present end of the ledger. Inputs after the last event wait for the next one. */
    void advance();

    /** Ends the replay: an event after the last input is a divergence. */
    LogReplay.CellSummary finish();

    /** Returns the progress of the replay. */
    LogReplay.CellSummary summary();

    /** Replays up to the present end of the ledger. */
    default LogReplay.CellSummary run() {
        begin();
        advance();
        return finish();
    }
}
