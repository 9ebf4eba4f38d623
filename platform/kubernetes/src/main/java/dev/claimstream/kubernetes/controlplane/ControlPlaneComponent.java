package dev.claimstream.kubernetes.controlplane;

/** A component of a control plane; each is one process. */
public enum ControlPlaneComponent {
    ETCD("etcd"),
    API_SERVER("kube-apiserver"),
    CONTROLLERS("kube-controller-manager"),
    SCHEDULER("kube-scheduler");

    private final String program;

    ControlPlaneComponent(String program) {
        this.program = program;
    }

    /** Returns the name of the program. */
    public String program() {
        return program;
    }
}
