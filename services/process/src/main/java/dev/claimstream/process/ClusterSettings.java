package dev.claimstream.process;

import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.api.PolicyRequirement;
import dev.claimstream.process.settings.Setting;
import io.micronaut.core.value.PropertyResolver;
import java.nio.file.Path;
import java.util.Optional;

/** Reads from the settings which Kubernetes cluster a process uses. */
public final class ClusterSettings {
    /** Path of a kubeconfig. */
    public static final String KUBECONFIG = "claimstream.kubernetes.kubeconfig";

    /** Whether to use the cluster in which the process runs. */
    public static final String IN_CLUSTER = "claimstream.kubernetes.in-cluster";

    /** Folder of the service account's files, if it is not the default folder. */
    private static final String ACCOUNT = "claimstream.kubernetes.service-account";

    /** Whether claims are published only while the API server enforces {@code claimstream-single-writer}. */
    private static final String REQUIRE_POLICY = "claimstream.kubernetes.require-single-writer";

    /** Whether kube-scheduler allocates, and Claimstream decides in parallel and writes nothing. */
    public static final String OBSERVE_ONLY = "claimstream.observe-only";

    private static final String ALL_CLAIMS = "claimstream.kubernetes.all-claims";
    private static final String CONTEXT = "claimstream.kubernetes.context";

    private ClusterSettings() {}

    /**
     * The configured cluster; empty if none is set.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public static Optional<ApiCluster> cluster(PropertyResolver settings) {
        boolean isAll = settings.getProperty(ALL_CLAIMS, Boolean.class).orElse(false) || isObserveOnly(settings);
        ApiScope scope = isAll ? ApiScope.ALL : ApiScope.CONFIGURED;
        return access(settings).map(access -> ApiCluster.open(access, scope, requirement(settings, scope)));
    }

    /** Whether Claimstream only observes. It then evaluates every claim, and needs no policy. */
    public static boolean isObserveOnly(PropertyResolver settings) {
        return settings.getProperty(OBSERVE_ONLY, Boolean.class).orElse(false);
    }

    /** In a pod, the order in which services and policies are installed is not known, so nothing is allocated before the policy. */
    private static PolicyRequirement requirement(PropertyResolver settings, ApiScope scope) {
        boolean isRequired = settings.getProperty(REQUIRE_POLICY, Boolean.class)
                .orElseGet(() -> scope == ApiScope.CONFIGURED
                        && settings.getProperty(IN_CLUSTER, Boolean.class).orElse(false));
        return isRequired ? PolicyRequirement.SINGLE_WRITER : PolicyRequirement.NONE;
    }

    /**
     * The address and credentials of the configured cluster; empty if none is set.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public static Optional<ApiAccess> access(PropertyResolver settings) {
        Optional<String> file = text(settings, KUBECONFIG);
        if (file.isPresent()) {
            return Optional.of(ApiAccess.of(Path.of(file.get()), text(settings, CONTEXT)));
        }
        return settings.getProperty(IN_CLUSTER, Boolean.class)
                .filter(isEnabled -> isEnabled)
                .map(_ -> text(settings, ACCOUNT)
                        .map(Path::of)
                        .map(ApiAccess::inCluster)
                        .orElseGet(ApiAccess::inCluster));
    }

    private static Optional<String> text(PropertyResolver settings, String name) {
        return settings.getProperty(name, String.class).map(String::strip).filter(text -> !text.isEmpty());
    }

    /** The remedy in the error message if no source of objects is configured. */
    public static String remedy() {
        return "%s (%s) to a kubeconfig, or %s (%s) to true in a pod"
                .formatted(KUBECONFIG, Setting.variable(KUBECONFIG), IN_CLUSTER, Setting.variable(IN_CLUSTER));
    }
}
