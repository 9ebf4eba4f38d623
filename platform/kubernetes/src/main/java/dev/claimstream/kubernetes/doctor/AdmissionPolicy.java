package dev.claimstream.kubernetes.doctor;

import java.util.Locale;

/** The admission policies of {@code deploy/policies}. */
public enum AdmissionPolicy {
    GATE(
            PolicyKind.MUTATING,
            "gate.yaml",
            "pods with claims are not gated: kube-scheduler tries them, is rejected, and backs off for seconds"),
    FINALIZER(PolicyKind.MUTATING, "finalizer.yaml", "every claim needs an additional write"),
    SINGLE_WRITER(
            PolicyKind.VALIDATING,
            "single-writer.yaml",
            "kube-scheduler can also allocate managed devices: one device to two claims"),
    WRITER_PODS(
            PolicyKind.VALIDATING,
            "writer-pods.yaml",
            "a stolen token of the writer can change images, labels and tolerations of every pod"),
    NO_MIXED_CLAIMS(
            PolicyKind.VALIDATING,
            "no-mixed-claims.yaml",
            "a claim with managed and unmanaged classes is never allocated"),
    NO_EXTENDED_RESOURCE_NAMES(
            PolicyKind.VALIDATING,
            "no-extended-resources.yaml",
            "a managed class can get an extendedResourceName, which bypasses the gate"),
    NO_EXTENDED_RESOURCES(
            PolicyKind.VALIDATING,
            "no-extended-resources.yaml",
            "a pod can request a managed class as an extended resource, and stays pending forever");

    /** Whether a policy changes objects or rejects them. */
    public enum PolicyKind {
        /** Changes objects. */
        MUTATING,
        /** Rejects objects. */
        VALIDATING
    }

    private final PolicyKind kind;
    private final String file;
    private final String consequenceIfMissing;

    AdmissionPolicy(PolicyKind form, String file, String consequenceIfMissing) {
        this.kind = form;
        this.file = file;
        this.consequenceIfMissing = consequenceIfMissing;
    }

    /** Returns the name of the object in a cluster. */
    public String objectName() {
        return "claimstream-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public PolicyKind kind() {
        return kind;
    }

    /** Returns the command that restores the policy. */
    String remedy() {
        return "kubectl apply -f deploy/policies/" + file;
    }

    /** Returns the consequence of a policy that is in force while Claimstream only observes. */
    String consequenceInObserveOnly() {
        return switch (this) {
            case GATE -> "pods with claims stay gated";
            case SINGLE_WRITER -> "kube-scheduler cannot allocate managed devices";
            case WRITER_PODS -> "it has no use: there is no writer";
            case FINALIZER, NO_MIXED_CLAIMS, NO_EXTENDED_RESOURCE_NAMES, NO_EXTENDED_RESOURCES ->
                "objects of users are changed or rejected without need";
        };
    }

    /** Returns the consequence of a missing policy. */
    String consequenceIfMissing() {
        return consequenceIfMissing;
    }
}
