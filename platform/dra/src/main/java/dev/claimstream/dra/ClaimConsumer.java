package dev.claimstream.dra;

/** An entry of {@code status.reservedFor}: a pod or pod group that may use an allocated claim. */
public record ClaimConsumer(String apiGroup, String resource, String name, String uid) {
    /** Maximum number of consumers of a claim. */
    public static final int MAX = 256;

    public static ClaimConsumer pod(String name, String uid) {
        return new ClaimConsumer("", "pods", name, uid);
    }

    /** Returns a consumer that is a pod group, which stands for all its pods. */
    public static ClaimConsumer podGroup(String name, String uid) {
        return new ClaimConsumer("scheduling.k8s.io", "podgroups", name, uid);
    }

    public boolean isPod() {
        return apiGroup.isEmpty() && resource.equals("pods");
    }

    public boolean isPodGroup() {
        return apiGroup.equals("scheduling.k8s.io") && resource.equals("podgroups");
    }
}
