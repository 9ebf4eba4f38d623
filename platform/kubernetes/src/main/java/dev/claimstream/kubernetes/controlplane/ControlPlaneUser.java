package dev.claimstream.kubernetes.controlplane;

import java.util.Locale;

/** Users of the API server of a control plane. Each has a kubeconfig; permissions come from RBAC. */
public enum ControlPlaneUser {
    /** Member of {@code system:masters}: has all permissions. */
    ADMIN,
    /** {@code system:kube-scheduler}. */
    SCHEDULER,
    /** {@code system:kube-controller-manager}, member of {@code system:masters}. */
    CONTROLLERS,
    /** {@code system:serviceaccount:claimstream:writer}. */
    WRITER,
    /** {@code system:serviceaccount:claimstream:watcher}. */
    WATCHER,
    /** {@code user}, without any permission. */
    USER;

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
