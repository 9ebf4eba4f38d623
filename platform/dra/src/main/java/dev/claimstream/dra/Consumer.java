package dev.claimstream.dra;

/** Who may use an allocated claim: an entry of {@code status.reservedFor}. */
public record Consumer(String apiGroup, String resource, String name, String uid) {
    /** A pod. */
    public static Consumer pod(String name, String uid) {
        return new Consumer("", "pods", name, uid);
    }
}
