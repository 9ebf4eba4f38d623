package dev.claimstream.audit.streams;

import dev.claimstream.audit.EventProof;
import dev.claimstream.audit.EventProof.ProvenEvent;
import dev.claimstream.schemas.LedgerEvent;
import java.security.PublicKey;

/** Checks proofs of events with the schema with which this release writes them. */
public final class ProofVerifier {
    private ProofVerifier() {}

    /**
     * Checks a proof and returns its event.
     *
     * @throws IllegalArgumentException if the proof is not valid; the message says why
     */
    public static ProvenEvent verify(EventProof proof, PublicKey key) {
        return proof.check(key, LedgerEvent.getClassSchema());
    }
}
