package dev.claimstream.cli.folder;

/** The kind of cluster that an {@code up} serves. Each kind has a default data folder of its own. */
public enum ClusterKind {
    /** The simulated cluster in the memory of {@code up}. */
    IN_MEMORY("claimstream", "", "the simulated cluster"),
    /** A local control plane, whose data is in the data folder. */
    CONTROL_PLANE("claimstream-control-plane", " --control-plane", "a local control plane"),
    /** A cluster of a kubeconfig. */
    KUBERNETES("claimstream-kubernetes", " --kubeconfig FILE", "a Kubernetes cluster");

    private final String folderName;
    private final String upOption;
    private final String text;

    ClusterKind(String folderName, String upOption, String text) {
        this.folderName = folderName;
        this.upOption = upOption;
        this.text = text;
    }

    /** Returns the name of the default data folder. */
    String folderName() {
        return folderName;
    }

    /** Returns the option of {@code up} that selects the kind, with a leading space; empty for the in-memory cluster. */
    String upOption() {
        return upOption;
    }

    @Override
    public String toString() {
        return text;
    }
}
