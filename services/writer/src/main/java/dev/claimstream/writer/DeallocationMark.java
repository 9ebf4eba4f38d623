package dev.claimstream.writer;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import java.util.Optional;

/**
 * Value of the annotation {@link ClaimStatusClient#DEALLOCATION_ANNOTATION}: the decision that is about to deallocate the claim.
 *
 * @param log identity of the decision log; decision numbers start at 1 in each log
 * @param claimUid uid of the claim; an annotation can be copied to another claim with its manifest
 * @param number number of the decision
 */
record DeallocationMark(String log, String claimUid, long number) {
    private static final String NUMBER = "\\d{1,18}";
    private static final int FIELDS = 3;

    /** Text of the annotation: the three fields, separated by spaces. */
    String text() {
        return "%s %s %d".formatted(log, claimUid, number);
    }

    /**
     * Returns the number of the decision that a claim is marked for; empty if the claim has no mark.
     *
     * <p>A mark of another log, a mark of another claim and an unreadable mark return 0. Every decision number is
     * higher, so the next decision removes such a mark.
     *
     * @param log identity of the log whose decisions are committed
     */
    static Optional<Long> number(ResourceClaim claim, String log) {
        return Optional.ofNullable(claim.meta().annotations().get(ClaimStatusClient.DEALLOCATION_ANNOTATION))
                .map(text -> read(text)
                        .filter(mark -> mark.log.equals(log)
                                && mark.claimUid.equals(claim.meta().uid()))
                        .map(DeallocationMark::number)
                        .orElse(0L));
    }

    private static Optional<DeallocationMark> read(String text) {
        String[] fields = text.split(" ", -1);
        return fields.length == FIELDS && fields[2].matches(NUMBER)
                ? Optional.of(new DeallocationMark(fields[0], fields[1], Long.parseLong(fields[2])))
                : Optional.empty();
    }
}
