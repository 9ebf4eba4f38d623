package dev.claimstream.load.beside;

/** The allocators. kube-scheduler always binds the pods. */
enum MeasuredAllocator {
    /** kube-scheduler with its own allocation. */
    KUBE_SCHEDULER("kube-scheduler"),
    /** A program that writes like Claimstream and makes no decisions. */
    NEXT_FREE("next-free"),
    CLAIMSTREAM("claimstream");

    private final String text;

    MeasuredAllocator(String text) {
        this.text = text;
    }

    /** Returns the name in options and tables, and of the process in measurements. */
    String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
