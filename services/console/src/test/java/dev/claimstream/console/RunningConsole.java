package dev.claimstream.console;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.selectors.CelSelectors;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The REST API on a real server, with a view that the test fills. */
final class RunningConsole implements AutoCloseable {
    private final StubConsumerStatus consumerStatus;
    private final ApplicationContext context;
    private final URI url;
    private final HttpClient http = HttpClient.newHttpClient();

    private RunningConsole(StubConsumerStatus consumerStatus, ApplicationContext context, URI url) {
        this.consumerStatus = consumerStatus;
        this.context = context;
        this.url = url;
    }

    static RunningConsole start(ClusterView view) {
        return start(view, FeatureGates.defaults(), List.of());
    }

    /** Starts a console with settings. */
    static RunningConsole start(ClusterView view, Map<String, Object> settings) {
        return start(view, FeatureGates.defaults(), List.of(), settings);
    }

    /** Starts a console with these feature gates and stored objects. */
    static RunningConsole start(ClusterView view, FeatureGates gates, List<Manifest> stored) {
        return start(view, gates, stored, Map.of());
    }

    private static RunningConsole start(
            ClusterView view, FeatureGates gates, List<Manifest> stored, Map<String, Object> settings) {
        var consumerStatus = new StubConsumerStatus();
        var store = new InMemoryObjectStore();
        var unused = store.apply(stored);
        var context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(new TreeMap<>(Map.of(
                        "claimstream.console.enabled",
                        false,
                        "micronaut.server.host",
                        "127.0.0.1",
                        "micronaut.server.port",
                        -1,
                        "micronaut.server.max-request-size",
                        "1MB")))
                .properties(settings)
                .singletons(view, store, consumerStatus, new CelSelectors(), gates)
                .start();
        return new RunningConsole(consumerStatus, context, Main.listen(context).getURI());
    }

    /** Starts a console of a cluster, where Kubernetes decides what a user sees. */
    static RunningConsole startInCluster(ClusterView view, Map<String, Object> settings, Object... beans) {
        var consumerStatus = new StubConsumerStatus();
        Map<String, Object> all = new TreeMap<>(Map.of(
                "claimstream.console.enabled",
                false,
                "claimstream.access.mode",
                "kubernetes",
                "micronaut.server.host",
                "127.0.0.1",
                "micronaut.server.port",
                -1));
        all.putAll(settings);
        var context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(all)
                .singletons(Stream.concat(Stream.of(view, consumerStatus, new CelSelectors()), Arrays.stream(beans))
                        .toArray())
                .start();
        return new RunningConsole(consumerStatus, context, Main.listen(context).getURI());
    }

    /** A store without rules of its own. */
    private static final class InMemoryObjectStore implements ObjectStore {
        private final Map<String, VersionedObject> objects = new TreeMap<>();

        private static String id(Kind kind, ObjectKey key) {
            return kind + " " + key;
        }

        @Override
        public List<ApplyResult> apply(List<Manifest> manifests) {
            return manifests.stream()
                    .map(each -> {
                        var object = each.object();
                        var before = objects.put(id(object.kind(), object.key()), new VersionedObject(object, 1));
                        return new ApplyResult(
                                object.kind(),
                                object.key(),
                                before == null ? ApplyResult.ApplyOutcome.CREATED : ApplyResult.ApplyOutcome.CONFIGURED,
                                "");
                    })
                    .toList();
        }

        @Override
        public Optional<DeletionResult> delete(Kind kind, ObjectKey key) {
            return Optional.ofNullable(objects.remove(id(kind, key))).map(_ -> DeletionResult.DELETED);
        }

        @Override
        public Optional<VersionedObject> find(Kind kind, ObjectKey key) {
            return Optional.ofNullable(objects.get(id(kind, key)));
        }
    }

    private static final class StubConsumerStatus implements ConsumerStatus {
        private volatile boolean isCaughtUp = true;

        @Override
        public boolean isAlive() {
            return true;
        }

        @Override
        public boolean isCaughtUp() {
            return isCaughtUp;
        }

        @Override
        public Optional<String> problem() {
            return Optional.empty();
        }
    }

    RecentTrends trends() {
        return context.getBean(RecentTrends.class);
    }

    RecentEvents events() {
        return context.getBean(RecentEvents.class);
    }

    /** Returns the method and the template of each route, as {@code GET /api/v1/nodes}. */
    SortedSet<String> routes() {
        return context.getBean(Router.class)
                .uriRoutes()
                .filter(route -> route.getHttpMethod() != HttpMethod.HEAD)
                .map(route -> route.getHttpMethodName() + " "
                        + route.getUriMatchTemplate().toPathString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    URI url() {
        return url;
    }

    /** Sets whether the console has read the topics to their ends. */
    void setCaughtUp(boolean caughtUp) {
        consumerStatus.isCaughtUp = caughtUp;
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(url.resolve(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(url.resolve(path))
                        .headers(headers)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        http.close();
        context.close();
    }
}
