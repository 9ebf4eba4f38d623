package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.KubernetesVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Derives findings from the facts of a cluster. The findings depend on the facts alone. */
public final class ClusterDiagnosis {
    /** Remedy of a check that needs permissions of an administrator. */
    public static final String ADMIN_REMEDY = "run doctor again with the kubeconfig of an administrator";

    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,3})\\.(\\d{1,3}).*");
    private static final Pattern UNDECLARED =
            Pattern.compile("node \"(?<node>[^\"]{1,253})\" does not support (?<gate>\\w{1,64}) feature");
    private static final int MIN_MINOR = 34;
    private static final int MIN_POLICY_MINOR = 36;
    private static final Duration CLOCK_SKEW_OK = Duration.ofSeconds(2);
    private static final Duration CLOCK_SKEW_MAX = Duration.ofMinutes(5);

    private ClusterDiagnosis() {}

    /** Returns one finding per check, in an order in which the problems can be fixed. */
    public static List<DoctorFinding> of(ClusterFacts facts) {
        return of(facts, ManagedConfigCheck.of(facts));
    }

    /** Returns the findings on a cluster of which all claims are allocated, whatever classes are configured. */
    public static List<DoctorFinding> ofAllClaims(ClusterFacts facts) {
        return of(facts, ManagedConfigCheck.ofAllClaims(facts));
    }

    /** Returns the findings on a cluster in which kube-scheduler allocates and Claimstream only observes. */
    public static List<DoctorFinding> ofObserved(ClusterFacts facts) {
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(server(facts));
        findings.add(clock(facts.clockSkew()));
        KubernetesVersion defaults =
                facts.version().value().map(KubernetesVersion::nearest).orElse(KubernetesVersion.NEWEST);
        facts.gates().forEach((gate, trial) -> findings.add(gate(gate, defaults, trial)));
        facts.policies().forEach((policy, found) -> findings.add(PolicyCheck.ofObserved(policy, found)));
        return findings;
    }

    private static List<DoctorFinding> of(ClusterFacts facts, List<DoctorFinding> managedConfig) {
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(server(facts));
        findings.add(clock(facts.clockSkew()));
        KubernetesVersion defaults =
                facts.version().value().map(KubernetesVersion::nearest).orElse(KubernetesVersion.NEWEST);
        facts.gates().forEach((gate, trial) -> findings.add(gate(gate, defaults, trial)));
        findings.addAll(managedConfig);
        for (Map.Entry<AdmissionPolicy, ClusterFacts.PolicyFacts> each :
                facts.policies().entrySet()) {
            findings.add(PolicyCheck.of(each.getKey(), each.getValue(), dropsExtendedResourceNames(facts)));
        }
        findings.addAll(PermissionChecks.of(facts));
        findings.add(logLease(facts.logLease()));
        return findings;
    }

    private static DoctorFinding logLease(LookupResult<ClusterFacts.LogLeaseFacts> result) {
        String check = "log lease";
        return switch (result) {
            case LookupResult.NotFound<ClusterFacts.LogLeaseFacts> _ ->
                ok(check, "no log has written to this cluster yet");
            case LookupResult.Failure<ClusterFacts.LogLeaseFacts>(String reason) ->
                warning(check, reason, ADMIN_REMEDY);
            case LookupResult.Value<ClusterFacts.LogLeaseFacts>(ClusterFacts.LogLeaseFacts lease) -> {
                String observedLease = "held by log %s, renewed %d s ago"
                        .formatted(lease.holder(), Math.max(0, lease.unrenewed().toSeconds()));
                yield lease.unrenewed().compareTo(lease.duration().plus(CLOCK_SKEW_OK)) > 0
                        ? warning(
                                check,
                                observedLease
                                        + ": it has expired, so no writer of this log runs or reaches the API server",
                                "see health and log of the writer; another log may take over (kubectl get lease -n claimstream claimstream-log)")
                        : ok(check, observedLease);
            }
        };
    }

    /** Returns whether the server drops the extended resource names that a policy has to reject. */
    private static boolean dropsExtendedResourceNames(ClusterFacts facts) {
        return facts.gates().get(Feature.EXTENDED_RESOURCE) instanceof DryRunResult.Response answered
                && answered.isSuccess()
                && answered.presentFields().isEmpty();
    }

    // ---- server

    private static Optional<Integer> minor(ClusterFacts facts) {
        return facts.version()
                .value()
                .map(VERSION::matcher)
                .filter(Matcher::matches)
                .filter(found -> found.group(1).equals("1"))
                .map(found -> Integer.parseInt(found.group(2)));
    }

    private static DoctorFinding server(ClusterFacts facts) {
        String check = "server";
        String observed = "Kubernetes %s at %s, checked as %s"
                .formatted(facts.version().value().orElse("of an unknown version"), facts.url(), facts.user());
        if (facts.api() instanceof LookupResult.NotFound<Boolean>) {
            return failed(
                    check,
                    observed + ": it does not serve resource.k8s.io/v1",
                    "use Kubernetes 1.%d or newer".formatted(MIN_POLICY_MINOR));
        }
        Optional<Integer> minor = minor(facts);
        if (minor.isEmpty()) {
            return warning(check, observed, "see kubectl version; tested are " + KubernetesVersion.names());
        }
        if (minor.get() < MIN_MINOR) {
            return failed(check, observed, "use Kubernetes 1.%d or newer".formatted(MIN_POLICY_MINOR));
        }
        if (minor.get() < MIN_POLICY_MINOR) {
            return warning(
                    check,
                    observed + ": it has no MutatingAdmissionPolicy",
                    "use 1.%d or newer, or add gate and finalizer with your own webhook".formatted(MIN_POLICY_MINOR));
        }
        return KubernetesVersion.of("1." + minor.get()).isPresent()
                ? ok(check, observed)
                : warning(
                        check,
                        observed,
                        "tested are %s; look for a newer Claimstream".formatted(KubernetesVersion.names()));
    }

    private static DoctorFinding clock(LookupResult<Duration> skew) {
        String check = "clock";
        return switch (skew) {
            case LookupResult.NotFound<Duration> _ ->
                warning(check, "the server does not report its time", "compare the clocks");
            case LookupResult.Failure<Duration>(String reason) -> warning(check, reason, "compare the clocks");
            case LookupResult.Value<Duration>(Duration by) -> {
                String observed = "the server's clock is %.1f s %s the local clock"
                        .formatted(Math.abs(by.toMillis()) / 1000.0, by.isNegative() ? "behind" : "ahead of");
                String remedy = "synchronize both machines with a time server (systemctl status chrony)";
                if (by.abs().compareTo(CLOCK_SKEW_OK) <= 0) {
                    yield ok(check, observed);
                }
                yield by.abs().compareTo(CLOCK_SKEW_MAX) <= 0
                        ? warning(check, observed, remedy)
                        : failed(
                                check,
                                observed
                                        + ": timestamps of allocations are wrong, and allocations that wait for a device time out too early or too late",
                                remedy);
            }
        };
    }

    // ---- feature gates

    private static DoctorFinding gate(Feature gate, KubernetesVersion defaults, DryRunResult trial) {
        String check = "gate " + gate.gate();
        return switch (trial) {
            case DryRunResult.Skipped(String reason, String remedy) -> warning(check, reason, remedy);
            case DryRunResult.Response answered
            when answered.isSuccess() ->
                gateState(check, gate, defaults, !answered.presentFields().isEmpty());
            case DryRunResult.Response(int _, String message, var _)
            when undeclaringNode(gate, message).isPresent() ->
                undeclared(check, gate, defaults, undeclaringNode(gate, message).get());
            case DryRunResult.Response(int code, String message, var _) ->
                warning(check, "unknown: the dry run returned %d: %s".formatted(code, message), ADMIN_REMEDY);
        };
    }

    /**
     * Returns the node whose kubelet does not declare the feature, if the response says so.
     * The plugin NodeDeclaredFeatureValidator (KEP-5328) sends this response only if the gate of the API server is on.
     */
    private static Optional<String> undeclaringNode(Feature gate, String message) {
        return Optional.of(UNDECLARED.matcher(message))
                .filter(Matcher::find)
                .filter(found -> found.group("gate").equals(gate.gate()))
                .map(found -> found.group("node"));
    }

    private static DoctorFinding undeclared(String check, Feature gate, KubernetesVersion defaults, String node) {
        String same = gate.isEnabledByDefault(defaults)
                ? ""
                : "start claimstream up with --features %s=true, so that it uses the same gate; "
                        .formatted(gate.gate());
        return warning(
                check,
                "on at the API server, %s default of %s; but the kubelet of node %s does not declare it, so the server rejects ResourceSlices with its fields for that node"
                        .formatted(gate.isEnabledByDefault(defaults) ? "the" : "not the", defaults, node),
                same + "if a DRA driver publishes such slices, enable the gate for the kubelets of its nodes");
    }

    private static DoctorFinding gateState(String check, Feature gate, KubernetesVersion defaults, boolean isOn) {
        String observed = isOn ? "on" : "off: the server drops its fields";
        if (isOn == gate.isEnabledByDefault(defaults)) {
            return ok(check, observed + ", the default of " + defaults);
        }
        String same = "start claimstream up with --features %s=%s, so that it uses the same gate"
                .formatted(gate.gate(), isOn);
        return warning(
                check,
                observed + ", which is not the default of " + defaults,
                isOn ? same : same + "; or enable it for API server, scheduler and controller manager");
    }
}
