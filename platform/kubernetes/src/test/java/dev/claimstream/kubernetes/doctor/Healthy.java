package dev.claimstream.kubernetes.doctor;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Access;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Attempt;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Binding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Expected;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.Seen.Found;
import dev.claimstream.kubernetes.doctor.Trial.Answered;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Facts of a cluster in which all is well, of which one at a time is changed. */
final class Healthy {
    static final String WRITER = "system:serviceaccount:claimstream:writer";
    static final Answered TAKEN = new Answered(201, "", List.of());
    static final Answered MARKED = new Answered(201, "", List.of("mark"));
    static final Seen<List<Access>> ALLOWED = new Found<>(List.of(new Access("patch pods", true)));
    static final Seen<List<Access>> DENIED =
            new Found<>(List.of(new Access("patch pods", true), new Access("get nodes", false)));

    Seen<String> version = new Found<>("v1.36.4");
    Seen<Boolean> api = new Found<>(true);
    String user = "admin";
    Seen<Duration> ahead = new Found<>(Duration.ofMillis(-400));
    final Map<Feature, Trial> gates = new EnumMap<>(Feature.class);
    Seen<Ours> ours = new Found<>(new Ours(List.of("gpu.example.com"), List.of("gpu.example.com", "mig"), WRITER));
    Seen<SortedMap<String, Optional<String>>> classes = new Found<>(new TreeMap<>(
            Map.of("gpu.example.com", Optional.empty(), "mig", Optional.empty(), "theirs", Optional.of("a/b"))));
    Seen<List<String>> drivers = new Found<>(List.of("gpu.example.com"));
    Seen<List<String>> given = new Found<>(List.of("gpu.example.com"));
    final Map<Policy, PolicyFacts> policies = new EnumMap<>(Policy.class);
    WriterFacts writer = new WriterFacts(ALLOWED, new Found<>(true), new Answered(200, "", List.of()), ALLOWED);
    Seen<List<Access>> watcher = ALLOWED;

    Healthy() {
        for (Feature gate :
                List.of(Feature.PARTITIONABLE_DEVICES, Feature.EXTENDED_RESOURCE, Feature.NODE_ALLOCATABLE_RESOURCES)) {
            gates.put(gate, gate.isDefault(KubernetesVersion.V1_36) ? MARKED : TAKEN);
        }
        for (Policy policy : Policy.values()) {
            policies.put(policy, working(policy));
        }
    }

    static Answered refusal(Policy policy) {
        return new Answered(
                422,
                "x is forbidden: ValidatingAdmissionPolicy '%1$s' with binding '%1$s' denied request: no"
                        .formatted(policy.objectName()),
                List.of());
    }

    private static PolicyFacts working(Policy policy) {
        List<Attempt> attempts = policy.form() == Policy.Form.MUTATING
                ? List.of(attempt(Expected.CHANGED, MARKED), attempt(Expected.UNCHANGED, TAKEN))
                : List.of(
                        attempt(Expected.REFUSED, refusal(policy)),
                        attempt(Expected.LET_THROUGH, new Answered(409, "already exists", List.of())));
        return new PolicyFacts(new Found<>("Fail"), new Found<>(List.of(bound(policy))), attempts);
    }

    private static Binding bound(Policy policy) {
        return new Binding(policy.objectName(), policy.form() == Policy.Form.MUTATING ? List.of() : List.of("Deny"));
    }

    static Attempt attempt(Expected expected, Trial trial) {
        return new Attempt("a thing", expected, trial);
    }

    void shows(Policy policy, Expected expected, Trial trial) {
        PolicyFacts was = policies.getOrDefault(policy, working(policy));
        policies.put(policy, new PolicyFacts(was.failurePolicy(), was.bindings(), List.of(attempt(expected, trial))));
    }

    ClusterFacts facts() {
        return new ClusterFacts(
                "https://here",
                new Found<>("id"),
                version,
                api,
                user,
                ahead,
                gates,
                ours,
                classes,
                drivers,
                given,
                policies,
                writer,
                watcher);
    }
}
