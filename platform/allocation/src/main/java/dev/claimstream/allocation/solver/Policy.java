package dev.claimstream.allocation.solver;

/** Which of the solutions is taken. */
public enum Policy {
    /** Upstream's choice on a node, on the first node by name that fits. */
    FIRST_FIT("first-fit"),
    /** Packs: the smallest sufficient devices, groups and nodes, so that large claims stay possible. */
    BEST_FIT("best-fit");

    private final String text;

    Policy(String text) {
        this.text = text;
    }

    /** The name in settings and options. */
    public String text() {
        return text;
    }
}
