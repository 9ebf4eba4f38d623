package dev.claimstream.writer;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import java.util.Optional;

/**
 * The annotation {@link ClaimStatus#DEALLOCATION} of a claim: which decision is about to deallocate it.
 *
 * @param log of the decision, since numbers start again in another log
 * @param claimUid uid of the claim, since an annotation can be copied with a manifest
 * @param number of the decision
 */
record DeallocationMark(String log, String claimUid, long number) {
    private static final String NUMBER = "\\d{1,18}";
    private static final int FIELDS = 3;

    /** The text of the annotation: the three fields, separated by blanks. */
    String text() {
        return "%s %s %d".formatted(log, claimUid, number);
    }

    /**
     * The number of the decision that a claim is marked for. A mark of another log or another claim, and one that cannot be read, counts as
     * 0, which is below every decision: the next decision removes it.
     *
     * @param log of the decisions that are carried out
     */
    static Optional<Long> number(ResourceClaim claim, String log) {
        return Optional.ofNullable(claim.meta().annotations().get(ClaimStatus.DEALLOCATION))
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
