package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lists and watches the objects of an API server.
 *
 * <p>A list comes in pages; of a page only the objects that the reader keeps are in memory. A kind that the server does not serve is an
 * empty list until the server serves it.
 */
final class ApiWatch implements ClusterWatch, AutoCloseable {
    static final int PAGE_SIZE = 500;
    private static final int SLICE_PAGE_SIZE = 100;
    private static final int LIST_ATTEMPTS_MAX = 3;
    private static final Duration CLASSES_INTERVAL = Duration.ofSeconds(10);

    /** Until a removed policy is noticed, decisions are made on claims that other programs may allocate, too. */
    private static final Duration POLICY_INTERVAL = Duration.ofSeconds(1);

    private final ApiHttpClient server;
    private final ServedApis servedApis;
    private final UnreadableObjects unreadableObjects = new UnreadableObjects();
    private final IdleTimeout idleTimeout = new IdleTimeout();
    private final Set<Kind> unservedKinds = ConcurrentHashMap.newKeySet();
    private final ManagedClasses managed;
    private final Map<Kind, ObjectListener> objectListeners;

    /** The policy without which no claim is published, and so none is allocated; empty if it is not required. */
    private final Optional<SingleWriterPolicy> requiredPolicy;

    /** Managed classes at the time of the last list of device classes. */
    private volatile Set<String> listedClasses = Set.of();

    /** Creates a watch. Each kind has at most one listener, which is called before the caller of {@code list} or {@code watch}. */
    ApiWatch(
            ApiHttpClient server,
            ManagedClasses managed,
            Optional<SingleWriterPolicy> requiredPolicy,
            Map<Kind, ObjectListener> objectListeners) {
        this.server = server;
        this.requiredPolicy = requiredPolicy;
        this.managed = managed;
        this.objectListeners = Map.copyOf(objectListeners);
        this.servedApis = new ServedApis(server);
    }

    @Override
    public long list(Kind kind, PageListener listing) {
        if (kind == Kind.DEVICE_CLASS) {
            listedClasses = managed.refresh();
        }
        if (kind == Kind.RESOURCE_CLAIM) {
            requiredPolicy.ifPresent(SingleWriterPolicy::requireEnforced);
        }
        Optional<String> api = api(kind);
        for (int tries = 0; api.isPresent() && tries < LIST_ATTEMPTS_MAX; tries++) {
            OptionalLong version = list(kind, api.get(), listing);
            if (version.isPresent()) {
                return version.getAsLong();
            }
        }
        if (api.isPresent()) {
            throw new ClusterFault("%s expired the list of %s %d times"
                    .formatted(server.url(), Paths.plural(kind), LIST_ATTEMPTS_MAX));
        }
        listing.onListStart();
        return 0;
    }

    private Optional<String> api(Kind kind) {
        Optional<String> api = servedApis.api(kind);
        if (api.isPresent()) {
            unservedKinds.remove(kind);
        } else if (unservedKinds.add(kind)) {
            unreadableObjects.reportUnservedKind(kind);
        }
        return api;
    }

    /** Lists one kind once; empty if the server answers 410, so that the list has to restart. */
    private OptionalLong list(Kind kind, String api, PageListener listing) {
        listing.onListStart();
        objectListener(kind).ifPresent(ObjectListener::onListStart);
        String next = "";
        long version = 0;
        do {
            List<VersionedObject> objects = new ArrayList<>();
            Optional<ListPage> page = page(kind, api, next, objects);
            if (page.isEmpty()) {
                return OptionalLong.empty();
            }
            version = page.get().version();
            // after the page is read completely, so that a slow listener does not block the server
            listing.onPage(objects, version);
            next = page.get().continueToken();
        } while (!next.isEmpty());
        return OptionalLong.of(version);
    }

    long currentVersion(Kind kind, String api) {
        Reply reply = server.get("%s/%s?limit=1".formatted(api, Paths.plural(kind)));
        if (!reply.isSuccess()) {
            throw reply.fault("the current resourceVersion of %s cannot be read".formatted(Paths.plural(kind)));
        }
        return reply.body().path("metadata").path("resourceVersion").asLong(0);
    }

    private Optional<ListPage> page(Kind kind, String api, String from, List<VersionedObject> objects) {
        String path = "%s/%s?limit=%d%s"
                .formatted(
                        api,
                        Paths.plural(kind),
                        kind == Kind.RESOURCE_SLICE ? SLICE_PAGE_SIZE : PAGE_SIZE,
                        from.isEmpty() ? "" : "&continue=" + Paths.encode(from));
        ApiHttpClient.StreamingReply stream = server.stream(path);
        try (InputStream body = stream.body();
                var _ = idleTimeout.start(() -> close(body))) {
            if (stream.code() == HttpURLConnection.HTTP_GONE) {
                return Optional.empty();
            }
            if (stream.code() != HttpURLConnection.HTTP_OK) {
                throw listFailure(kind, stream, body);
            }
            String apiVersion = ServedApis.apiVersion(api);
            return Optional.of(ListPage.read(
                    body,
                    item -> accept(kind, item, ApiObjectReader.read(kind, apiVersion, item))
                            .ifPresent(objects::add)));
        } catch (IOException e) {
            throw new ClusterFault(
                    "the list of %s of %s was interrupted: %s"
                            .formatted(Paths.plural(kind), server.url(), FailureMessage.of(e)),
                    e);
        }
    }

    /**
     * Passes an object to the listener of its kind and returns what the caller gets.
     *
     * <p>An unreadable object is reported and left out. An unreadable allocated claim keeps its devices.
     */
    Optional<VersionedObject> accept(Kind kind, JsonNode json, ApiObjectReader.ObjectReadResult read) {
        return switch (read) {
            case ApiObjectReader.ObjectReadResult.Success(VersionedObject object) -> {
                objectListener(kind).ifPresent(listener -> listener.onUpsert(json, object));
                yield Optional.of(withManagedMark(object));
            }
            case ApiObjectReader.ObjectReadResult.Failure not -> {
                unreadableObjects.report(kind, not);
                yield not.allocatedClaim();
            }
        };
    }

    Optional<ObjectListener> objectListener(Kind kind) {
        return Optional.ofNullable(objectListeners.get(kind));
    }

    /** Marks an unmanaged class, so that the cells allocate nothing for its claims. */
    private VersionedObject withManagedMark(VersionedObject object) {
        return object.object() instanceof DeviceClass found
                        && !managed.includes(found.meta().name())
                ? new VersionedObject(found.asUnmanaged(), object.version())
                : object;
    }

    ClusterFault listFailure(Kind kind, ApiHttpClient.StreamingReply stream, InputStream body) throws IOException {
        int code = stream.code();
        JsonNode status = ApiHttpClient.json(body.readNBytes(1 << 16));
        String message = status.path("message").asText("");
        if (code == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return server.unauthorized(message);
        }
        String remedy = switch (code) {
            case HttpURLConnection.HTTP_FORBIDDEN ->
                ": allow list and watch of %s in all namespaces".formatted(Paths.plural(kind));
            case HttpURLConnection.HTTP_NOT_FOUND ->
                ": it does not serve %s; Kubernetes 1.34 or newer does".formatted(Paths.api(kind));
            default -> "";
        };
        return new ClusterFault(
                "%s does not list %s: HTTP %d %s%s".formatted(server.url(), Paths.plural(kind), code, message, remedy),
                stream.retryAfter().orElse(Duration.ZERO));
    }

    @Override
    public Subscription watch(Kind kind, long version, WatchListener listener) {
        Optional<String> api = api(kind);
        WatchLoop watching = new WatchLoop(this, kind, listener);
        watching.start(api, version);
        return watching;
    }

    ApiHttpClient server() {
        return server;
    }

    ServedApis servedApis() {
        return servedApis;
    }

    /** Whether the watch of a kind depends on objects of another kind, which have to be checked from time to time. */
    boolean hasPrerequisites(Kind kind) {
        return kind == Kind.DEVICE_CLASS || (kind == Kind.RESOURCE_CLAIM && requiredPolicy.isPresent());
    }

    /** Returns the time between two checks of the objects on which a watch depends. */
    static Duration prerequisitesInterval(Kind kind) {
        return kind == Kind.RESOURCE_CLAIM ? POLICY_INTERVAL : CLASSES_INTERVAL;
    }

    /**
     * Returns why a watch has to end: the managed classes have changed, or the required policy has changed or is not enforced.
     *
     * @throws ClusterFault if the server does not respond
     */
    Optional<String> changedPrerequisite(Kind kind) {
        return kind == Kind.DEVICE_CLASS
                ? Optional.of("the managed device classes have changed")
                        .filter(_ -> !managed.refresh().equals(listedClasses))
                : requiredPolicy.flatMap(SingleWriterPolicy::violation);
    }

    IdleTimeout idleTimeout() {
        return idleTimeout;
    }

    static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() {
        idleTimeout.close();
    }
}
