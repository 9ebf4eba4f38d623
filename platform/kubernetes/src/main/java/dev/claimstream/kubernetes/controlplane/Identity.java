package dev.claimstream.kubernetes.controlplane;

import java.util.Locale;

/** Whom the API server of a control plane knows. Each has a kubeconfig; rights come from RBAC. */
public enum Identity {
    /** Of {@code system:masters}: may do everything. */
    ADMIN,
    /** {@code system:kube-scheduler}. */
    SCHEDULER,
    /** {@code system:kube-controller-manager}, of {@code system:masters}. */
    CONTROLLERS,
    /** {@code system:serviceaccount:claimstream:writer}. */
    WRITER,
    /** {@code system:serviceaccount:claimstream:watcher}. */
    WATCHER,
    /** {@code user}, without any right. */
    USER;

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
