package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Attempt;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Expected;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import dev.claimstream.kubernetes.doctor.Policy;
import dev.claimstream.kubernetes.doctor.Seen;
import dev.claimstream.kubernetes.doctor.Trial;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Dry runs that show whether the policies of {@code deploy/policies} work. */
final class PolicyAttempts {
    /** Name of a driver and of a class that do not exist. */
    static final String NOBODYS = "doctor.claimstream.dev";

    private static final String DRY_RUN = "?dryRun=All&fieldManager=claimstream-doctor";
    private static final String CLAIM_NAMESPACE = "claimstream";
    private static final Trial.NotTried NOT_SAID =
            new Trial.NotTried("it is not known which classes are ours", "see what is ours");
    private static final Trial.NotTried UNMANAGED =
            new Trial.NotTried("no namespace is managed", "kubectl label namespace NAME claimstream.dev/managed=true");

    private static final String AS_ANOTHER = "look again with the kubeconfig of an administrator";

    private final ApiServer server;
    private final Optional<Ours> ours;
    private final Seen<List<JsonNode>> namespaces;

    /** Creates the dry runs. An incomplete list of managed classes and drivers counts as unknown. */
    PolicyAttempts(ApiServer server, Optional<Ours> ours, Seen<List<JsonNode>> namespaces) {
        this.server = server;
        this.ours =
                ours.filter(each -> !each.classes().isEmpty() && !each.drivers().isEmpty());
        this.namespaces = namespaces;
    }

    List<Attempt> of(Policy policy, List<JsonNode> bindings, ScratchClaim scratch, String user) {
        return switch (policy) {
            case GATE -> gate(bindings);
            case FINALIZER -> finalizer();
            case SINGLE_WRITER -> singleWriter(scratch, user);
            case NO_MIXED_CLAIMS -> noMixedClaims();
            case NO_EXTENDED_RESOURCE_NAMES -> noExtendedResourceNames();
            case NO_EXTENDED_RESOURCES -> noExtendedResources();
        };
    }

    // ---- the gate

    private List<Attempt> gate(List<JsonNode> bindings) {
        Predicate<JsonNode> isManaged = namespace -> bindings.stream()
                .anyMatch(binding -> NamespaceSelection.of(
                                binding.path("spec").path("matchResources").path("namespaceSelector"))
                        .includes(namespace.path("metadata").path("labels")));
        String claims = ",\"resourceClaims\":[{\"name\":\"none\",\"resourceClaimName\":\"none\"}]";
        return Stream.of(
                        gated("a pod with a claim in %s", Expected.CHANGED, isManaged, claims),
                        gated("one without in %s", Expected.UNCHANGED, isManaged, ""),
                        gated("one in %s", Expected.UNCHANGED, isManaged.negate(), claims))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Checks one pod; without an unmanaged namespace there is nothing to check in one. */
    private Optional<Attempt> gated(String what, Expected expected, Predicate<JsonNode> where, String claims) {
        if (namespaces instanceof Seen.Hidden<List<JsonNode>>(String why)) {
            return Optional.of(new Attempt(
                    what.formatted("a managed namespace"),
                    expected,
                    new Trial.NotTried("namespaces: " + why, AS_ANOTHER)));
        }
        Optional<String> namespace = namespaces.value().stream()
                .flatMap(List::stream)
                .filter(where)
                .map(each -> each.path("metadata").path("name").asText())
                .findFirst();
        if (namespace.isEmpty()) {
            return expected == Expected.CHANGED
                    ? Optional.of(new Attempt(what.formatted("a managed namespace"), expected, UNMANAGED))
                    : Optional.empty();
        }
        return Optional.of(new Attempt(
                what.formatted("namespace " + namespace.get()), expected, pod(namespace.get(), "", claims)));
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

    private Trial pod(String namespace, String limits, String more) {
        Reply reply = server.post(
                "/api/v1/namespaces/" + Paths.encoded(namespace) + "/pods" + DRY_RUN, podJson(limits, more));
        return answered(
                reply,
                reply.body()
                        .path("spec")
                        .path("schedulingGates")
                        .valueStream()
                        .map(each -> each.path("name").asText())
                        .filter(PodGates.GATE::equals)
                        .toList());
    }

    private static Trial answered(Reply reply, List<String> marks) {
        return new Trial.Answered(
                reply.code(), reply.isGood() ? "" : reply.message(), reply.isGood() ? marks : List.of());
    }

    // ---- claims

    private List<Attempt> finalizer() {
        return List.of(
                new Attempt("a claim of a class of ours", Expected.CHANGED, claim(ownClass())),
                new Attempt("one of another", Expected.UNCHANGED, claim(Optional.of(NOBODYS))));
    }

    private List<Attempt> noMixedClaims() {
        return List.of(
                new Attempt(
                        "a claim of a class of ours and another",
                        Expected.REFUSED,
                        claim(ownClass(), Optional.of(NOBODYS))),
                new Attempt("one of ours alone", Expected.LET_THROUGH, claim(ownClass())),
                new Attempt("one of others alone", Expected.LET_THROUGH, claim(Optional.of(NOBODYS))));
    }

    private Optional<String> ownClass() {
        return ours.map(each -> each.classes().getFirst());
    }

    @SafeVarargs
    private Trial claim(Optional<String>... classes) {
        var body = ApiServer.JSON
                .createObjectNode()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "ResourceClaim");
        body.putObject("metadata").put("generateName", "claimstream-doctor-").put("namespace", CLAIM_NAMESPACE);
        var requests = body.putObject("spec").putObject("devices").putArray("requests");
        for (Optional<String> each : classes) {
            if (each.isEmpty()) {
                return NOT_SAID;
            }
            requests.addObject()
                    .put("name", "none-" + requests.size())
                    .putObject("exactly")
                    .put("deviceClassName", each.get());
        }
        Reply reply = server.post(
                Paths.api(Kind.RESOURCE_CLAIM) + "/namespaces/" + CLAIM_NAMESPACE + "/resourceclaims" + DRY_RUN,
                body.toString());
        return answered(
                reply,
                reply.body()
                        .path("metadata")
                        .path("finalizers")
                        .valueStream()
                        .map(JsonNode::asText)
                        .filter(ApiClaimStatus.FINALIZER::equals)
                        .toList());
    }

    private List<Attempt> singleWriter(ScratchClaim scratch, String user) {
        String refused = "an allocation of ours by another";
        String other = "one of other drivers by anybody";
        if (ours.isEmpty()) {
            return List.of(new Attempt(refused, Expected.REFUSED, NOT_SAID));
        }
        boolean isWriter = ours.get().writer().equals(user);
        return List.of(
                new Attempt(
                        refused,
                        Expected.REFUSED,
                        isWriter
                                ? new Trial.NotTried("this user is the writer itself", AS_ANOTHER)
                                : scratch.write(server, ours.get().drivers().getFirst())),
                new Attempt(other, Expected.LET_THROUGH, scratch.write(server, NOBODYS)));
    }

    // ---- extended resources

    private List<Attempt> noExtendedResourceNames() {
        return List.of(
                new Attempt(
                        "an extendedResourceName of a class of ours", Expected.REFUSED, deviceClass(ownClass(), true)),
                new Attempt("a class of ours without one", Expected.LET_THROUGH, deviceClass(ownClass(), false)),
                new Attempt("one of another class", Expected.LET_THROUGH, deviceClass(Optional.of(NOBODYS), true)));
    }

    private Trial deviceClass(Optional<String> name, boolean isNamed) {
        if (name.isEmpty()) {
            return NOT_SAID;
        }
        var body = ApiServer.JSON
                .createObjectNode()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "DeviceClass");
        body.putObject("metadata").put("name", name.get());
        var spec = body.putObject("spec");
        if (isNamed) {
            spec.put("extendedResourceName", "claimstream.dev/doctor");
        }
        return answered(
                server.post(Paths.api(Kind.DEVICE_CLASS) + "/deviceclasses" + DRY_RUN, body.toString()), List.of());
    }

    private List<Attempt> noExtendedResources() {
        return List.of(
                new Attempt(
                        "a pod that asks for a class of ours as an extended resource",
                        Expected.REFUSED,
                        ownClass()
                                .map(name -> pod(CLAIM_NAMESPACE, extended(name), ""))
                                .orElseGet(() -> NOT_SAID)),
                new Attempt(
                        "one that asks for another",
                        Expected.LET_THROUGH,
                        pod(CLAIM_NAMESPACE, extended(NOBODYS), "")));
    }

    private static String extended(String deviceClass) {
        return ",%s:\"1\""
                .formatted(ApiServer.JSON
                        .valueToTree("deviceclass.resource.kubernetes.io/" + deviceClass)
                        .toString());
    }
}
