package dev.claimstream.history;

import java.util.List;

/** An event of the ledger that the history folds. All others are left out. */
public sealed interface LedgerFact {
    /** Returns the UID of the claim that the event is about. */
    String claimUid();

    /**
     * The claim is allocated.
     *
     * @param pod name of the pod that the claim was decided with; empty if it was decided alone
     * @param pods names of the pods that the claim is reserved for
     */
    record AllocationFact(
            String claimUid,
            long number,
            String namespace,
            String claim,
            String node,
            String pod,
            List<AllocatedDevice> devices,
            List<String> pods)
            implements LedgerFact {
        public AllocationFact {
            devices = List.copyOf(devices);
            pods = List.copyOf(pods);
        }
    }

    /** The claim is pending for a reason. */
    record PendingFact(String claimUid, String namespace, String claim, String pod, String reason, String message)
            implements LedgerFact {}

    /** The allocation must not be committed any more. Its devices stay allocated until the release. */
    record RevocationFact(String claimUid) implements LedgerFact {}

    /** The allocation is to be cleared, because it keeps its pod from every node. */
    record DeallocationFact(String claimUid) implements LedgerFact {}

    /** The devices of the claim are free. */
    record ReleaseFact(String claimUid, long number) implements LedgerFact {}
}
