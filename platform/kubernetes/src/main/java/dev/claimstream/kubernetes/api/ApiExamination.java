package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.doctor.ClusterFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.Policy;
import dev.claimstream.kubernetes.doctor.Seen;
import dev.claimstream.kubernetes.doctor.Trial;
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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Collects the facts of a cluster for {@code dev.claimstream.kubernetes.doctor}.
 *
 * <p>Every request is a read or a dry run. The one exception is a temporary claim, which is created and deleted if the caller allows it.
 */
public final class ApiExamination {
    private static final String WATCHER = "system:serviceaccount:claimstream:watcher";
    private static final String PAGE = "?limit=500";
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private final ApiServer server;
    private final ApiAccess access;
    private final boolean makesClaim;
    private final InstantSource clock;

    private ApiExamination(ApiServer server, ApiAccess access, boolean makesClaim, InstantSource clock) {
        this.server = server;
        this.access = access;
        this.makesClaim = makesClaim;
        this.clock = clock;
    }

    /**
     * Collects the facts of a cluster.
     *
     * @param makesClaim whether to create a temporary claim for the dry run of a status write, if every claim is allocated
     * @throws ClusterFault if the server does not answer
     * @throws IllegalArgumentException if the access is unusable
     */
    public static ClusterFacts of(ApiAccess access, boolean makesClaim, InstantSource clock) {
        try (var server = ApiServer.open(access)) {
            return new ApiExamination(server, access, makesClaim, clock).facts();
        }
    }

    private ClusterFacts facts() {
        String user = user();
        Seen<Ours> ours = ours();
        try (var scratch = ScratchClaim.find(server, makesClaim)) {
            var attempts = new PolicyAttempts(server, ours.value(), namespaces());
            Map<Policy, PolicyFacts> policies = new EnumMap<>(Policy.class);
            for (Policy policy : Policy.values()) {
                policies.put(policy, policy(policy, attempts, scratch, user));
            }
            return new ClusterFacts(
                    server.url(),
                    seen(
                            server.get("/api/v1/namespaces/kube-system"),
                            body -> body.path("metadata").path("uid").asText("")),
                    seen(server.get("/version"), body -> body.path("gitVersion").asText("")),
                    seen(server.get(Paths.api(Kind.RESOURCE_CLAIM)), _ -> true),
                    user,
                    ahead(),
                    gates(),
                    ours,
                    classes(),
                    drivers(),
                    given(ours.value().map(Ours::classes).orElse(List.of())),
                    policies,
                    writer(user, ours, scratch),
                    speaking(user, WATCHER, rights -> rights.of(RightsAsked.WATCHER)));
        }
    }

    // ---- reads

    static <T> Seen<T> seen(Reply reply, Function<JsonNode, T> reading) {
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return new Seen.Missing<>();
        }
        return reply.isGood()
                ? new Seen.Found<>(reading.apply(reply.body()))
                : new Seen.Hidden<>("cannot be read: " + reply.message());
    }

    private String user() {
        Reply reply = server.post(
                "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}");
        if (reply.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            throw server.unknown(reply.message());
        }
        return reply.body().path("status").path("userInfo").path("username").asText("somebody");
    }

    /** Returns the clock skew of the server. The Date header has whole seconds, so half a second is added. */
    private Seen<Duration> ahead() {
        Instant before = clock.instant();
        Optional<String> date = server.date();
        Instant after = clock.instant();
        try {
            return date.map(DateTimeFormatter.RFC_1123_DATE_TIME::parse)
                    .map(Instant::from)
                    .<Seen<Duration>>map(there -> new Seen.Found<>(Duration.between(
                            before.plus(Duration.between(before, after).dividedBy(2)), there.plus(HALF_A_SECOND))))
                    .orElseGet(Seen.Missing::new);
        } catch (DateTimeParseException e) {
            return new Seen.Hidden<>("the server's time cannot be understood: " + date.orElse(""));
        }
    }

    private Seen<Ours> ours() {
        return seen(server.get(Managed.PATH), body -> {
            JsonNode data = body.path("data");
            return new Ours(
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

    private Seen<SortedMap<String, Optional<String>>> classes() {
        return seen(server.get(Paths.api(Kind.DEVICE_CLASS) + "/deviceclasses"), body -> {
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

    /** Returns the drivers of the first page of slices. One page is enough for a check. */
    private Seen<List<String>> drivers() {
        return seen(
                server.get(Paths.api(Kind.RESOURCE_SLICE) + "/resourceslices" + PAGE),
                body -> body.path("items")
                        .valueStream()
                        .map(each -> each.path("spec").path("driver").asText())
                        .distinct()
                        .toList());
    }

    /** Returns the drivers of allocated claims of these classes, from the first page of claims. */
    private Seen<List<String>> given(List<String> classes) {
        return seen(
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

    private Seen<List<JsonNode>> namespaces() {
        return seen(
                server.get(Paths.api(Kind.NAMESPACE) + "/namespaces" + PAGE),
                body -> body.path("items").valueStream().toList());
    }

    private Map<Feature, Trial> gates() {
        var served = new Served(server);
        return new GateAttempts(server, served).all();
    }

    // ---- policies

    private PolicyFacts policy(Policy policy, PolicyAttempts attempts, ScratchClaim scratch, String user) {
        String kind = policy.form() == Policy.Form.MUTATING ? "mutating" : "validating";
        String path = "/apis/admissionregistration.k8s.io/v1/%sadmissionpolic".formatted(kind);
        Seen<String> failurePolicy = seen(
                server.get(path + "ies/" + policy.objectName()),
                body -> body.path("spec").path("failurePolicy").asText("Fail"));
        Seen<List<JsonNode>> bindings = seen(
                server.get(path + "ybindings" + PAGE),
                body -> body.path("items")
                        .valueStream()
                        .filter(each ->
                                each.path("spec").path("policyName").asText().equals(policy.objectName()))
                        .toList());
        return new PolicyFacts(
                failurePolicy,
                mapped(
                        bindings,
                        each -> each.stream().map(ApiExamination::binding).toList()),
                attempts.of(policy, bindings.value().orElse(List.of()), scratch, user));
    }

    private static <A, B> Seen<B> mapped(Seen<A> seen, Function<A, B> mapping) {
        return switch (seen) {
            case Seen.Found<A>(A found) -> new Seen.Found<>(mapping.apply(found));
            case Seen.Missing<A> _ -> new Seen.Missing<>();
            case Seen.Hidden<A>(String why) -> new Seen.Hidden<>(why);
        };
    }

    private static ClusterFacts.Binding binding(JsonNode binding) {
        List<String> actions = new ArrayList<>();
        binding.path("spec").path("validationActions").forEach(each -> actions.add(each.asText()));
        return new ClusterFacts.Binding(binding.path("metadata").path("name").asText(), actions);
    }

    // ---- permissions

    private WriterFacts writer(String user, Seen<Ours> ours, ScratchClaim scratch) {
        Optional<String> writer = ours.value().map(Ours::writer).filter(name -> !name.isEmpty());
        if (writer.isEmpty()) {
            return new WriterFacts(
                    new Seen.Missing<>(),
                    new Seen.Missing<>(),
                    new Trial.NotTried("it is not said who the writer is", "see what is ours"),
                    new Seen.Missing<>());
        }
        String name = writer.get();
        return new WriterFacts(
                speaking(user, name, rights -> rights.of(RightsAsked.WRITER)),
                mapped(
                        speaking(user, name, rights -> rights.of(List.of(RightsAsked.BINDING))),
                        each -> each.getFirst().isAllowed()),
                as(
                        user,
                        name,
                        them -> scratch.write(
                                them,
                                ours.value().map(Ours::drivers).orElse(List.of()).stream()
                                        .findFirst()
                                        .orElse(PolicyAttempts.NOBODYS))),
                speaking(user, name, rights -> rights.of(RightsAsked.WATCHER)));
    }

    private interface Asking {
        List<ClusterFacts.Access> of(RightsAsked rights);
    }

    private Seen<List<ClusterFacts.Access>> speaking(String user, String who, Asking asking) {
        try {
            return new Seen.Found<>(as(user, who, them -> asking.of(new RightsAsked(them))));
        } catch (RightsAsked.NotAnsweredException e) {
            return new Seen.Hidden<>(String.valueOf(e.getMessage()));
        }
    }

    /** Runs requests as a user, by impersonation unless it is the current user. */
    private <T> T as(String user, String who, Function<ApiServer, T> doing) {
        if (user.equals(who)) {
            return doing.apply(server);
        }
        try (var other = ApiServer.openAs(who, access)) {
            return doing.apply(other);
        }
    }
}
