package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * The answer to one claim.
 *
 * @param number unique in the cell and growing
 */
public record Decision(ObjectKey claim, String claimUid, long number, ItemId item, Verdict verdict) {
    /** The answers. */
    public sealed interface Verdict {
        /**
         * These devices, for these consumers; repeated with more consumers as they come, and where the claim has changed since without
         * having been given anything.
         *
         * @param claimVersion of the claim as it was decided: it gets these devices only where it is still that, so that a decision
         *     which was carried out and undone is not carried out again; 0 where it is not known
         */
        record Granted(String node, Allocation allocation, List<Consumer> reservedFor, long claimVersion)
                implements Verdict {
            public Granted {
                reservedFor = List.copyOf(reservedFor);
            }

            /** On a claim of which no version is known. */
            public Granted(String node, Allocation allocation, List<Consumer> reservedFor) {
                this(node, allocation, reservedFor, 0);
            }
        }

        /** Not now. {@link Reason#Undecided} says that the effort was spent first. */
        record Waits(Reason reason, String message) implements Verdict {}

        /**
         * What was given, by the decision of this number, is not to be carried out any more: a device went away. It stays held until
         * the writer says that the claim does not have it.
         */
        record Revoked(Granted what, String why) implements Verdict {}

        /**
         * The claim is to be deallocated: its allocation keeps the only pod that uses it from every node that the pod could use. Its
         * devices are free once the claim is seen without allocation.
         *
         * @param allocation that the claim has, and that is to be cleared
         * @param consumer the only one that may be in {@code reservedFor}: the pod, or its PodGroup
         * @param claimVersion of the claim as it was decided
         */
        record Deallocation(Allocation allocation, Consumer consumer, long claimVersion, String why)
                implements Verdict {}

        /** What was given is free again. */
        record Released() implements Verdict {}
    }
}
