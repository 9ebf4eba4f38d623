package dev.claimstream.allocation.solver;

/** Policy that selects one of several solutions. */
public enum PlacementPolicy {
    /** Upstream's solution on a node; the first fitting node by name. */
    FIRST_FIT("first-fit"),
    /** Packs: the smallest sufficient devices, groups and nodes, so that large claims stay possible. */
    BEST_FIT("best-fit");

    private final String text;

    PlacementPolicy(String text) {
        this.text = text;
    }

    /** Name in settings and options. */
    public String text() {
        return text;
    }
}
