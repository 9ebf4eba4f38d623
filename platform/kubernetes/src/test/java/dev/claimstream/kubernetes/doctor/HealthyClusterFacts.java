package dev.claimstream.kubernetes.doctor;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ExpectedEffect;
import dev.claimstream.kubernetes.doctor.ClusterFacts.LogLeaseFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PermissionResult;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyBinding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.DryRunResult.Response;
import dev.claimstream.kubernetes.doctor.LookupResult.Value;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Facts of a healthy cluster, of which tests change one at a time. */
final class HealthyClusterFacts {
    static final String WRITER = "system:serviceaccount:claimstream:writer";
    static final Response ADMITTED_RESPONSE = new Response(201, "", List.of());
    static final Response MUTATED_RESPONSE = new Response(201, "", List.of("mark"));
    static final LookupResult<List<PermissionResult>> ALLOWED =
            new Value<>(List.of(new PermissionResult("patch pods", true)));
    static final LookupResult<List<PermissionResult>> DENIED =
            new Value<>(List.of(new PermissionResult("patch pods", true), new PermissionResult("get nodes", false)));

    LookupResult<String> version = new Value<>("v1.36.4");
    LookupResult<Boolean> api = new Value<>(true);
    String user = "admin";
    LookupResult<Duration> clockOffset = new Value<>(Duration.ofMillis(-400));
    final Map<Feature, DryRunResult> gates = new EnumMap<>(Feature.class);
    LookupResult<ManagedConfig> managedConfig =
            new Value<>(new ManagedConfig(List.of("gpu.example.com"), List.of("gpu.example.com", "mig"), WRITER));
    LookupResult<SortedMap<String, Optional<String>>> classes = new Value<>(new TreeMap<>(
            Map.of("gpu.example.com", Optional.empty(), "mig", Optional.empty(), "other", Optional.of("a/b"))));
    LookupResult<List<String>> drivers = new Value<>(List.of("gpu.example.com"));
    LookupResult<List<String>> allocatedDrivers = new Value<>(List.of("gpu.example.com"));
    final Map<AdmissionPolicy, PolicyFacts> policies = new EnumMap<>(AdmissionPolicy.class);
    WriterFacts writer = new WriterFacts(ALLOWED, new Value<>(true), new Response(200, "", List.of()), ALLOWED);
    LookupResult<List<PermissionResult>> watcher = ALLOWED;
    LookupResult<LogLeaseFacts> logLease =
            new Value<>(new LogLeaseFacts("log-1", Duration.ofSeconds(2), Duration.ofSeconds(15)));

    HealthyClusterFacts() {
        for (Feature gate :
                List.of(Feature.PARTITIONABLE_DEVICES, Feature.EXTENDED_RESOURCE, Feature.NODE_ALLOCATABLE_RESOURCES)) {
            gates.put(gate, gate.isEnabledByDefault(KubernetesVersion.V1_36) ? MUTATED_RESPONSE : ADMITTED_RESPONSE);
        }
        for (AdmissionPolicy policy : AdmissionPolicy.values()) {
            policies.put(policy, effectivePolicy(policy));
        }
    }

    static Response rejection(AdmissionPolicy policy) {
        return new Response(
                422,
                "x is forbidden: ValidatingAdmissionPolicy '%1$s' with binding '%1$s' denied request: no"
                        .formatted(policy.objectName()),
                List.of());
    }

    private static PolicyFacts effectivePolicy(AdmissionPolicy policy) {
        List<DryRunCheck> attempts = policy.kind() == AdmissionPolicy.PolicyKind.MUTATING
                ? List.of(
                        dryRunCheck(ExpectedEffect.MUTATED, MUTATED_RESPONSE),
                        dryRunCheck(ExpectedEffect.UNCHANGED, ADMITTED_RESPONSE))
                : List.of(
                        dryRunCheck(ExpectedEffect.REJECTED, rejection(policy)),
                        dryRunCheck(ExpectedEffect.ADMITTED, new Response(409, "already exists", List.of())));
        return new PolicyFacts(new Value<>("Fail"), new Value<>(List.of(binding(policy))), attempts);
    }

    private static PolicyBinding binding(AdmissionPolicy policy) {
        return new PolicyBinding(
                policy.objectName(),
                policy.kind() == AdmissionPolicy.PolicyKind.MUTATING ? List.of() : List.of("Deny"));
    }

    static DryRunCheck dryRunCheck(ExpectedEffect expected, DryRunResult trial) {
        return new DryRunCheck("a thing", expected, trial);
    }

    void setDryRunResult(AdmissionPolicy policy, ExpectedEffect expected, DryRunResult trial) {
        PolicyFacts was = policies.getOrDefault(policy, effectivePolicy(policy));
        policies.put(
                policy, new PolicyFacts(was.failurePolicy(), was.bindings(), List.of(dryRunCheck(expected, trial))));
    }

    ClusterFacts facts() {
        return ClusterFacts.builder("https://here", user)
                .id(new Value<>("id"))
                .version(version)
                .api(api)
                .clockSkew(clockOffset)
                .gates(gates)
                .managedConfig(managedConfig)
                .classes(classes)
                .drivers(drivers)
                .driversInUse(allocatedDrivers)
                .policies(policies)
                .writer(writer)
                .watcherPermissions(watcher)
                .logLease(logLease)
                .build();
    }
}
