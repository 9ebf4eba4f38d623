package dev.claimstream.wire;

import dev.claimstream.allocation.cell.AllocationTiming;

/** Converts the allocation timing of a source to and from the flag {@code waitForConsumer}. */
final class AllocationTimingCodec {
    private AllocationTimingCodec() {}

    static boolean to(AllocationTiming timing) {
        return switch (timing) {
            case IMMEDIATE -> false;
            case WAIT_FOR_CONSUMER -> true;
        };
    }

    static AllocationTiming from(boolean waitForConsumer) {
        return waitForConsumer ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE;
    }
}
