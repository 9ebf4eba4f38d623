package dev.claimstream.audit.streams;

import dev.claimstream.schemas.LedgerEvent;
import org.apache.avro.Schema;

/** The schema with which this release writes ledger events. */
public final class LedgerSchema {
    private LedgerSchema() {}

    public static Schema current() {
        return LedgerEvent.getClassSchema();
    }
}
