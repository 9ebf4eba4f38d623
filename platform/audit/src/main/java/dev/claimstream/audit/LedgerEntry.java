package dev.claimstream.audit;

import java.time.Instant;

/**
 * An event of a ledger, with its hashes as hexadecimal digits.
 *
 * @param input offset of the input that led to the event
 * @param index index among the events of that input
 * @param subject the claim or device that the event is about; empty for a snapshot and a rebuild
 * @param storedHash the hash in the event
 * @param computedHash the hash of the bytes of the event
 */
public record LedgerEntry(
        int cell,
        long input,
        int index,
        Instant at,
        String event,
        String subject,
        String engine,
        String previousHash,
        String storedHash,
        String computedHash) {

    /** Whether the hash in the event is that of its bytes. */
    public boolean isIntact() {
        return storedHash.equals(computedHash);
    }
}
