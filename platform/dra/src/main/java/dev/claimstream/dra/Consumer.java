package dev.claimstream.dra;

/** Who may use an allocated claim: an entry of {@code status.reservedFor}. */
public record Consumer(String apiGroup, String resource, String name, String uid) {
    /** How many a claim can have. */
    public static final int MAX = 256;

    /** A pod. */
    public static Consumer pod(String name, String uid) {
        return new Consumer("", "pods", name, uid);
    }

    /** All pods of a pod group. */
    public static Consumer podGroup(String name, String uid) {
        return new Consumer("scheduling.k8s.io", "podgroups", name, uid);
    }

    /** Whether it is a pod. */
    public boolean isPod() {
        return apiGroup.isEmpty() && resource.equals("pods");
    }

    /** Whether it stands for the pods of a group. */
    public boolean isPodGroup() {
        return apiGroup.equals("scheduling.k8s.io") && resource.equals("podgroups");
    }
}
