package dev.claimstream.history;

/**
 * The time in which a claim is pending for one reason. Times are microseconds since 1970.
 *
 * @param pod name of the pod that the claim is decided with; empty if there is none
 * @param deviceClass class of the first request; empty if it is not known
 * @param endMicros 0 while the claim is pending for this reason
 * @param end {@code allocated}, {@code other-reason} or the cause of the claim's end; empty while it is pending
 */
public record PendingPeriod(
        String claimUid,
        String namespace,
        String claim,
        String pod,
        String deviceClass,
        String reason,
        String message,
        long beginMicros,
        long endMicros,
        String end) {
    PendingPeriod ended(long atMicros, String why) {
        return new PendingPeriod(
                claimUid, namespace, claim, pod, deviceClass, reason, message, beginMicros, atMicros, why);
    }
}
