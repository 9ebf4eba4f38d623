package dev.claimstream.kubernetes.controlplane;

/** A process of a control plane. */
public enum Part {
    ETCD("etcd"),
    API_SERVER("kube-apiserver"),
    CONTROLLERS("kube-controller-manager"),
    SCHEDULER("kube-scheduler");

    private final String program;

    Part(String program) {
        this.program = program;
    }

    /** What the program is called. */
    public String program() {
        return program;
    }
}
