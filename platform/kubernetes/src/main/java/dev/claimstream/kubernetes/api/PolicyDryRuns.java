package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.doctor.AdmissionPolicy;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ExpectedEffect;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import dev.claimstream.kubernetes.doctor.LookupResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Dry runs that show whether the policies of {@code deploy/policies} work. */
final class PolicyDryRuns {
    /** Name of a driver and of a class that do not exist. */
    static final String DOCTOR_DOMAIN = "doctor.claimstream.dev";

    private static final String DRY_RUN = "?dryRun=All&fieldManager=claimstream-doctor";
    private static final String CLAIM_NAMESPACE = "claimstream";
    private static final DryRunResult.Skipped NO_MANAGED_CONFIG =
            new DryRunResult.Skipped("the managed classes are unknown", "see managed configuration");
    private static final DryRunResult.Skipped NO_MANAGED_NAMESPACE = new DryRunResult.Skipped(
            "no namespace is managed", "kubectl label namespace NAME claimstream.dev/managed=true");

    private final ApiHttpClient server;
    private final Optional<ManagedConfig> managedConfig;
    private final LookupResult<List<JsonNode>> namespaces;

    /** Creates the dry runs. An incomplete list of managed classes and drivers counts as unknown. */
    PolicyDryRuns(
            ApiHttpClient server, Optional<ManagedConfig> managedConfig, LookupResult<List<JsonNode>> namespaces) {
        this.server = server;
        this.managedConfig = managedConfig.filter(
                each -> !each.classes().isEmpty() && !each.drivers().isEmpty());
        this.namespaces = namespaces;
    }

    List<DryRunCheck> of(
            AdmissionPolicy policy, LookupResult<List<JsonNode>> bindings, ScratchClaim scratch, String user) {
        return switch (policy) {
            case GATE -> gate(bindings);
            case FINALIZER -> finalizer();
            case SINGLE_WRITER -> singleWriter(scratch, user);
            case WRITER_PODS ->
                throw new IllegalArgumentException("see WriterPodDryRun: it takes a request of the writer");
            case NO_MIXED_CLAIMS -> noMixedClaims();
            case NO_EXTENDED_RESOURCE_NAMES -> noExtendedResourceNames();
            case NO_EXTENDED_RESOURCES -> noExtendedResources();
        };
    }

    // ---- the gate

    /** Checks pods in a managed and in an unmanaged namespace. The bindings select the managed namespaces. */
    private List<DryRunCheck> gate(LookupResult<List<JsonNode>> bindings) {
        String managedPod = "a pod with a claim in %s";
        if (bindings instanceof LookupResult.Failure<List<JsonNode>>(String reason)) {
            return List.of(skippedInManagedNamespace(managedPod, ExpectedEffect.MUTATED, "its bindings " + reason));
        }
        Predicate<JsonNode> isManaged = namespace -> bindings.value().stream()
                .flatMap(List::stream)
                .anyMatch(binding -> NamespaceSelector.of(
                                binding.path("spec").path("matchResources").path("namespaceSelector"))
                        .includes(namespace.path("metadata").path("labels")));
        String claims = ",\"resourceClaims\":[{\"name\":\"none\",\"resourceClaimName\":\"none\"}]";
        return Stream.of(
                        gateCheck(managedPod, ExpectedEffect.MUTATED, isManaged, claims),
                        gateCheck("a pod without claims in %s", ExpectedEffect.UNCHANGED, isManaged, ""),
                        gateCheck(managedPod, ExpectedEffect.UNCHANGED, isManaged.negate(), claims))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Checks one pod; without an unmanaged namespace there is nothing to check in one. */
    private Optional<DryRunCheck> gateCheck(
            String request, ExpectedEffect expected, Predicate<JsonNode> where, String claims) {
        if (namespaces instanceof LookupResult.Failure<List<JsonNode>>(String reason)) {
            return Optional.of(skippedInManagedNamespace(request, expected, "namespaces " + reason));
        }
        Optional<String> namespace = namespaces.value().stream()
                .flatMap(List::stream)
                .filter(where)
                .map(each -> each.path("metadata").path("name").asText())
                .findFirst();
        if (namespace.isEmpty()) {
            return expected == ExpectedEffect.MUTATED
                    ? Optional.of(
                            new DryRunCheck(request.formatted("a managed namespace"), expected, NO_MANAGED_NAMESPACE))
                    : Optional.empty();
        }
        return Optional.of(new DryRunCheck(
                request.formatted("namespace " + namespace.get()), expected, createPod(namespace.get(), "", claims)));
    }

    private static DryRunCheck skippedInManagedNamespace(String request, ExpectedEffect expected, String reason) {
        return new DryRunCheck(
                request.formatted("a managed namespace"),
                expected,
                new DryRunResult.Skipped(reason, ClusterDiagnosis.ADMIN_REMEDY));
    }

    /** Returns a pod that Pod Security admits in every namespace, with all resources that a quota may require. */
    private static String podJson(String limits, String more) {
        return """
                {"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"claimstream-doctor-"},
                 "spec":{"automountServiceAccountToken":false,
                  "securityContext":{"runAsNonRoot":true,"runAsUser":65534,"seccompProfile":{"type":"RuntimeDefault"}},
                  "containers":[{"name":"none","image":"none",
                   "securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},
                   "resources":{"requests":{"cpu":"1m","memory":"1Mi"},"limits":{"cpu":"1m","memory":"1Mi"%s}}}]%s}}""".formatted(limits, more);
    }

    private DryRunResult createPod(String namespace, String limits, String more) {
        Reply reply =
                server.post("/api/v1/namespaces/" + Paths.encode(namespace) + "/pods" + DRY_RUN, podJson(limits, more));
        return toResult(
                reply,
                reply.body()
                        .path("spec")
                        .path("schedulingGates")
                        .valueStream()
                        .map(each -> each.path("name").asText())
                        .filter(PodGates.GATE::equals)
                        .toList());
    }

    private static DryRunResult toResult(Reply reply, List<String> marks) {
        return new DryRunResult.Response(
                reply.code(), reply.isSuccess() ? "" : reply.message(), reply.isSuccess() ? marks : List.of());
    }

    // ---- claims

    private List<DryRunCheck> finalizer() {
        return List.of(
                new DryRunCheck("a claim of a managed class", ExpectedEffect.MUTATED, createClaim(managedClass())),
                new DryRunCheck(
                        "a claim of an unmanaged class",
                        ExpectedEffect.UNCHANGED,
                        createClaim(Optional.of(DOCTOR_DOMAIN))));
    }

    private List<DryRunCheck> noMixedClaims() {
        return List.of(
                new DryRunCheck(
                        "a claim of a managed and an unmanaged class",
                        ExpectedEffect.REJECTED,
                        createClaim(managedClass(), Optional.of(DOCTOR_DOMAIN))),
                new DryRunCheck(
                        "a claim of managed classes only", ExpectedEffect.ADMITTED, createClaim(managedClass())),
                new DryRunCheck(
                        "a claim of unmanaged classes only",
                        ExpectedEffect.ADMITTED,
                        createClaim(Optional.of(DOCTOR_DOMAIN))));
    }

    private Optional<String> managedClass() {
        return managedConfig.map(each -> each.classes().getFirst());
    }

    @SafeVarargs
    private DryRunResult createClaim(Optional<String>... classes) {
        var body = ApiHttpClient.JSON
                .createObjectNode()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "ResourceClaim");
        body.putObject("metadata").put("generateName", "claimstream-doctor-").put("namespace", CLAIM_NAMESPACE);
        var requests = body.putObject("spec").putObject("devices").putArray("requests");
        for (Optional<String> each : classes) {
            if (each.isEmpty()) {
                return NO_MANAGED_CONFIG;
            }
            requests.addObject()
                    .put("name", "none-" + requests.size())
                    .putObject("exactly")
                    .put("deviceClassName", each.get());
        }
        Reply reply = server.post(
                Paths.api(Kind.RESOURCE_CLAIM) + "/namespaces/" + CLAIM_NAMESPACE + "/resourceclaims" + DRY_RUN,
                body.toString());
        return toResult(
                reply,
                reply.body()
                        .path("metadata")
                        .path("finalizers")
                        .valueStream()
                        .map(JsonNode::asText)
                        .filter(ApiClaimStatusClient.FINALIZER::equals)
                        .toList());
    }

    private List<DryRunCheck> singleWriter(ScratchClaim scratch, String user) {
        String rejected = "an allocation of managed devices by another user";
        String other = "an allocation of other drivers by any user";
        if (managedConfig.isEmpty()) {
            return List.of(new DryRunCheck(rejected, ExpectedEffect.REJECTED, NO_MANAGED_CONFIG));
        }
        boolean isWriter = managedConfig.get().writer().equals(user);
        return List.of(
                new DryRunCheck(
                        rejected,
                        ExpectedEffect.REJECTED,
                        isWriter
                                ? new DryRunResult.Skipped(
                                        "this user is the writer itself", ClusterDiagnosis.ADMIN_REMEDY)
                                : scratch.tryAllocation(
                                        server, managedConfig.get().drivers().getFirst())),
                new DryRunCheck(other, ExpectedEffect.ADMITTED, scratch.tryAllocation(server, DOCTOR_DOMAIN)));
    }

    // ---- extended resources

    private List<DryRunCheck> noExtendedResourceNames() {
        return List.of(
                new DryRunCheck(
                        "an extendedResourceName of a managed class",
                        ExpectedEffect.REJECTED,
                        createDeviceClass(managedClass(), true)),
                new DryRunCheck(
                        "a managed class without extendedResourceName",
                        ExpectedEffect.ADMITTED,
                        createDeviceClass(managedClass(), false)),
                new DryRunCheck(
                        "an extendedResourceName of an unmanaged class",
                        ExpectedEffect.ADMITTED,
                        createDeviceClass(Optional.of(DOCTOR_DOMAIN), true)));
    }

    private DryRunResult createDeviceClass(Optional<String> name, boolean isNamed) {
        if (name.isEmpty()) {
            return NO_MANAGED_CONFIG;
        }
        var body = ApiHttpClient.JSON
                .createObjectNode()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "DeviceClass");
        body.putObject("metadata").put("name", name.get());
        var spec = body.putObject("spec");
        if (isNamed) {
            spec.put("extendedResourceName", "claimstream.dev/doctor");
        }
        return toResult(
                server.post(Paths.api(Kind.DEVICE_CLASS) + "/deviceclasses" + DRY_RUN, body.toString()), List.of());
    }

    private List<DryRunCheck> noExtendedResources() {
        return List.of(
                new DryRunCheck(
                        "a pod that requests a managed class as an extended resource",
                        ExpectedEffect.REJECTED,
                        managedClass()
                                .map(name -> createPod(CLAIM_NAMESPACE, extended(name), ""))
                                .orElseGet(() -> NO_MANAGED_CONFIG)),
                new DryRunCheck(
                        "a pod that requests an unmanaged class",
                        ExpectedEffect.ADMITTED,
                        createPod(CLAIM_NAMESPACE, extended(DOCTOR_DOMAIN), "")));
    }

    private static String extended(String deviceClass) {
        return ",%s:\"1\""
                .formatted(ApiHttpClient.JSON
                        .valueToTree("deviceclass.resource.kubernetes.io/" + deviceClass)
                        .toString());
    }
}
