package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.doctor.AdmissionPolicy;
import dev.claimstream.kubernetes.doctor.ClusterFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.LogLeaseFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import dev.claimstream.kubernetes.doctor.LookupResult;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Collects the facts of a cluster for {@code dev.claimstream.kubernetes.doctor}.
 *
 * <p>Every request is a read or a dry run. The one exception is a temporary claim, which is created and deleted if the caller allows it.
 */
public final class ApiClusterExamination {
    private static final String WATCHER = "system:serviceaccount:claimstream:watcher";
    private static final String PAGE = "?limit=500";
    private static final Duration DATE_HEADER_ROUNDING = Duration.ofMillis(500);

    private final ApiHttpClient server;
    private final ApiAccess access;
    private final boolean createsClaim;
    private final InstantSource clock;

    private ApiClusterExamination(ApiHttpClient server, ApiAccess access, boolean makesClaim, InstantSource clock) {
        this.server = server;
        this.access = access;
        this.createsClaim = makesClaim;
        this.clock = clock;
    }

    /**
     * Collects the facts of a cluster.
     *
     * @param makesClaim whether to create a temporary claim for the dry run of a status write, if every claim is allocated
     * @param changes receives a sentence for each object that is created or deleted
     * @throws ClusterFault if the server does not respond
     * @throws IllegalArgumentException if the access is unusable
     */
    public static ClusterFacts of(ApiAccess access, boolean makesClaim, InstantSource clock, Consumer<String> changes) {
        try (var server = ApiHttpClient.open(access)) {
            return new ApiClusterExamination(server, access, makesClaim, clock).facts(changes);
        }
    }

    private ClusterFacts facts(Consumer<String> changes) {
        String user = user();
        LookupResult<ManagedConfig> managedConfig = managedConfig();
        try (var scratch = ScratchClaim.find(server, createsClaim, changes)) {
            var attempts = new PolicyDryRuns(server, managedConfig.value(), namespaces());
            Map<AdmissionPolicy, PolicyFacts> policies = new EnumMap<>(AdmissionPolicy.class);
            for (AdmissionPolicy policy : AdmissionPolicy.values()) {
                policies.put(
                        policy,
                        policy(
                                policy,
                                bindings -> policy == AdmissionPolicy.WRITER_PODS
                                        ? writerPods(user, managedConfig)
                                        : attempts.of(policy, bindings, scratch, user)));
            }
            return ClusterFacts.builder(server.url(), user)
                    .id(lookup(
                            server.get("/api/v1/namespaces/kube-system"),
                            body -> body.path("metadata").path("uid").asText("")))
                    .version(lookup(
                            server.get("/version"),
                            body -> body.path("gitVersion").asText("")))
                    .api(lookup(server.get(Paths.api(Kind.RESOURCE_CLAIM)), _ -> true))
                    .clockSkew(clockSkew())
                    .gates(gates())
                    .managedConfig(managedConfig)
                    .classes(classes())
                    .drivers(drivers())
                    .driversInUse(driversInUse(
                            managedConfig.value().map(ManagedConfig::classes).orElse(List.of())))
                    .policies(policies)
                    .writer(writer(user, managedConfig, scratch))
                    .watcherPermissions(reviewAs(user, WATCHER, rights -> rights.review(AccessReviews.WATCHER)))
                    .logLease(logLease())
                    .build();
        }
    }

    // ---- reads

    static <T> LookupResult<T> lookup(Reply reply, Function<JsonNode, T> reading) {
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return new LookupResult.NotFound<>();
        }
        return reply.isSuccess()
                ? new LookupResult.Value<>(reading.apply(reply.body()))
                : new LookupResult.Failure<>("cannot be read: " + reply.message());
    }

    private String user() {
        Reply reply = server.post(
                "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}");
        if (reply.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            throw server.unauthorized(reply.message());
        }
        return reply.body().path("status").path("userInfo").path("username").asText("an unnamed user");
    }

    /** Returns the clock skew of the server. The Date header has whole seconds, so half a second is added. */
    private LookupResult<Duration> clockSkew() {
        Instant before = clock.instant();
        Optional<String> date = server.date();
        Instant after = clock.instant();
        try {
            return date.map(DateTimeFormatter.RFC_1123_DATE_TIME::parse)
                    .map(Instant::from)
                    .<LookupResult<Duration>>map(there -> new LookupResult.Value<>(Duration.between(
                            before.plus(Duration.between(before, after).dividedBy(2)),
                            there.plus(DATE_HEADER_ROUNDING))))
                    .orElseGet(LookupResult.NotFound::new);
        } catch (DateTimeParseException e) {
            return new LookupResult.Failure<>("the server's time cannot be parsed: " + date.orElse(""));
        }
    }

    private LookupResult<LogLeaseFacts> logLease() {
        return lookup(server.get(Paths.lease(LogLease.NAMESPACE, LogLease.NAME)), body -> {
            JsonNode spec = body.path("spec");
            return new LogLeaseFacts(
                    spec.path("holderIdentity").asText(""),
                    Duration.between(
                            Instant.parse(spec.path("renewTime").asText("1970-01-01T00:00:00Z")), serverTime()),
                    Duration.ofSeconds(spec.path("leaseDurationSeconds").asLong(0)));
        });
    }

    private Instant serverTime() {
        return clock.instant().plus(clockSkew().value().orElse(Duration.ZERO));
    }

    private LookupResult<ManagedConfig> managedConfig() {
        return lookup(server.get(ManagedClasses.PATH), body -> {
            JsonNode data = body.path("data");
            return new ManagedConfig(
                    names(data.path("drivers")),
                    names(data.path("classes")),
                    data.path("writer").asText("").strip());
        });
    }

    private static List<String> names(JsonNode text) {
        return Arrays.stream(text.asText("").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private LookupResult<SortedMap<String, Optional<String>>> classes() {
        return lookup(server.get(Paths.api(Kind.DEVICE_CLASS) + "/deviceclasses"), body -> {
            SortedMap<String, Optional<String>> classes = new TreeMap<>();
            for (JsonNode each : body.path("items")) {
                classes.put(
                        each.path("metadata").path("name").asText(),
                        Optional.of(each.path("spec")
                                        .path("extendedResourceName")
                                        .asText(""))
                                .filter(name -> !name.isEmpty()));
            }
            return classes;
        });
    }

    /** Returns the drivers of all slices. */
    private LookupResult<List<String>> drivers() {
        Set<String> drivers = new TreeSet<>();
        String next = "";
        do {
            Reply reply = server.get(Paths.api(Kind.RESOURCE_SLICE) + "/resourceslices" + PAGE
                    + (next.isEmpty() ? "" : "&continue=" + Paths.encode(next)));
            LookupResult<JsonNode> page = lookup(reply, body -> body);
            if (!(page instanceof LookupResult.Value<JsonNode>(JsonNode body))) {
                return mapFound(page, _ -> List.of());
            }
            body.path("items")
                    .forEach(
                            each -> drivers.add(each.path("spec").path("driver").asText()));
            next = body.path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return new LookupResult.Value<>(List.copyOf(drivers));
    }

    /** Returns the drivers of allocated claims of these classes, from the first page of claims. */
    private LookupResult<List<String>> driversInUse(List<String> classes) {
        return lookup(
                server.get(Paths.api(Kind.RESOURCE_CLAIM) + "/resourceclaims" + PAGE),
                body -> body.path("items")
                        .valueStream()
                        .filter(claim -> claim.path("spec").findValuesAsText("deviceClassName").stream()
                                .anyMatch(classes::contains))
                        .flatMap(claim ->
                                claim.at("/status/allocation/devices/results").valueStream())
                        .map(result -> result.path("driver").asText())
                        .distinct()
                        .sorted()
                        .toList());
    }

    private LookupResult<List<JsonNode>> namespaces() {
        return lookup(
                server.get(Paths.api(Kind.NAMESPACE) + "/namespaces" + PAGE),
                body -> body.path("items").valueStream().toList());
    }

    private Map<Feature, DryRunResult> gates() {
        var served = new ServedApis(server);
        return new FeatureGateDryRuns(server, served).runAll();
    }

    // ---- policies

    private List<DryRunCheck> writerPods(String user, LookupResult<ManagedConfig> managedConfig) {
        Optional<String> writer = managedConfig.value().map(ManagedConfig::writer);
        return new WriterPodDryRun(server).of(writer, run -> runAs(user, writer.orElse(""), run));
    }

    private PolicyFacts policy(
            AdmissionPolicy policy, Function<LookupResult<List<JsonNode>>, List<DryRunCheck>> attempts) {
        String kind = policy.kind() == AdmissionPolicy.PolicyKind.MUTATING ? "mutating" : "validating";
        String path = "/apis/admissionregistration.k8s.io/v1/%sadmissionpolic".formatted(kind);
        LookupResult<String> failurePolicy = lookup(
                server.get(path + "ies/" + policy.objectName()),
                body -> body.path("spec").path("failurePolicy").asText("Fail"));
        LookupResult<List<JsonNode>> bindings = lookup(
                server.get(path + "ybindings" + PAGE),
                body -> body.path("items")
                        .valueStream()
                        .filter(each ->
                                each.path("spec").path("policyName").asText().equals(policy.objectName()))
                        .toList());
        return new PolicyFacts(
                failurePolicy,
                mapFound(
                        bindings,
                        each -> each.stream()
                                .map(ApiClusterExamination::binding)
                                .toList()),
                attempts.apply(bindings));
    }

    private static <A, B> LookupResult<B> mapFound(LookupResult<A> result, Function<A, B> mapping) {
        return switch (result) {
            case LookupResult.Value<A>(A found) -> new LookupResult.Value<>(mapping.apply(found));
            case LookupResult.NotFound<A> _ -> new LookupResult.NotFound<>();
            case LookupResult.Failure<A>(String reason) -> new LookupResult.Failure<>(reason);
        };
    }

    private static ClusterFacts.PolicyBinding binding(JsonNode binding) {
        List<String> actions = new ArrayList<>();
        binding.path("spec").path("validationActions").forEach(each -> actions.add(each.asText()));
        return new ClusterFacts.PolicyBinding(
                binding.path("metadata").path("name").asText(), actions);
    }

    // ---- permissions

    private WriterFacts writer(String user, LookupResult<ManagedConfig> managedConfig, ScratchClaim scratch) {
        Optional<String> writer =
                managedConfig.value().map(ManagedConfig::writer).filter(name -> !name.isEmpty());
        if (writer.isEmpty()) {
            return new WriterFacts(
                    new LookupResult.NotFound<>(),
                    new LookupResult.NotFound<>(),
                    new DryRunResult.Skipped("the writer is not configured", "see managed configuration"),
                    new LookupResult.NotFound<>());
        }
        String name = writer.get();
        return new WriterFacts(
                reviewAs(user, name, rights -> rights.review(AccessReviews.WRITER)),
                mapFound(
                        reviewAs(user, name, rights -> rights.review(List.of(AccessReviews.BINDING))),
                        each -> each.getFirst().isAllowed()),
                runAs(
                        user,
                        name,
                        them -> scratch.tryAllocation(
                                them,
                                managedConfig.value().map(ManagedConfig::drivers).orElse(List.of()).stream()
                                        .findFirst()
                                        .orElse(PolicyDryRuns.DOCTOR_DOMAIN))),
                reviewAs(user, name, rights -> rights.review(AccessReviews.WATCHER)));
    }

    private interface PermissionQuery {
        List<ClusterFacts.PermissionResult> review(AccessReviews rights);
    }

    private LookupResult<List<ClusterFacts.PermissionResult>> reviewAs(String user, String who, PermissionQuery query) {
        try {
            return new LookupResult.Value<>(query.review(
                    user.equals(who) ? AccessReviews.ofCurrentUser(server) : AccessReviews.of(who, server)));
        } catch (AccessReviews.AccessReviewException e) {
            return new LookupResult.Failure<>(String.valueOf(e.getMessage()));
        }
    }

    /** Runs requests as a user, by impersonation unless it is the current user. */
    private <T> T runAs(String user, String who, Function<ApiHttpClient, T> action) {
        if (user.equals(who)) {
            return action.apply(server);
        }
        try (var other = ApiHttpClient.openAs(who, access)) {
            return action.apply(other);
        }
    }
}
